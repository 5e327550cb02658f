import { Link } from 'wouter';
import { useNameOf } from '../../api/lists.ts';
import type { LogEntry } from '../../api/types.ts';
import { OutcomeBadge } from '../../components/badges.tsx';
import { Name } from '../../components/name.tsx';
import { TimeText } from '../../components/time-text.tsx';
import { useTexts } from '../../i18n/language.tsx';

const SHOWN = 8;

/** The last few scans since the page was opened. */
export function LatestScans({ entries }: { entries: readonly LogEntry[] }) {
  const { overview, log } = useTexts();
  const keyName = useNameOf('keys');
  return (
    <section className="panel latest">
      <div className="card-head">
        <h2>{overview.latest}</h2>
        <Link href="/log">{log.title}</Link>
      </div>
      {entries.length === 0 && <p className="dimmed">{log.emptyLive}</p>}
      <ul className="small-scans">
        {entries.slice(0, SHOWN).map((scan) => (
          <li key={scan.sequence}>
            <TimeText at={scan.at} timeOnly />
            <OutcomeBadge outcome={scan.outcome} reason={scan.reason} />
            <Name>{scan.serial ?? keyName(scan.keyId)}</Name>
          </li>
        ))}
      </ul>
    </section>
  );
}
