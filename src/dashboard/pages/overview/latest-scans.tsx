import { Link } from 'wouter';
import { useGateName } from '../../api/lists.ts';
import type { LogEntry } from '../../api/types.ts';
import { useRead } from '../../api/use-api.ts';
import type { LogPage } from '../../api/use-log-pages.ts';
import { OutcomeBadge } from '../../components/badges.tsx';
import { Name } from '../../components/name.tsx';
import { TimeText } from '../../components/time-text.tsx';
import { useTexts } from '../../i18n/language.tsx';

const SHOWN = 8;

/** The last few scans: those that came since the page was opened, before them what the log has. */
export function LatestScans({ entries }: { entries: readonly LogEntry[] }) {
  const { overview, log } = useTexts();
  const keyName = useGateName();
  const logged = useRead<LogPage>(`/log?limit=${SHOWN}`).data?.items ?? [];
  const known = new Map(
    [...logged, ...entries.slice(0, SHOWN)].map((scan) => [scan.sequence, scan]),
  );
  const latest = [...known.values()].toSorted((a, b) => b.sequence - a.sequence).slice(0, SHOWN);
  return (
    <section className="panel latest">
      <div className="card-head">
        <h2>{overview.latest}</h2>
        <Link href="/log">{log.title}</Link>
      </div>
      {latest.length === 0 && <p className="dimmed">{log.emptyLive}</p>}
      <ul className="small-scans">
        {latest.map((scan) => (
          <li key={scan.sequence}>
            <TimeText at={scan.at} timeOnly />
            <OutcomeBadge scan={scan} />
            <Name>{scan.serial || keyName(scan.keyId)}</Name>
          </li>
        ))}
      </ul>
    </section>
  );
}
