import { Link } from 'wouter';
import { useGateName } from '../../api/lists.ts';
import { OutcomeBadge } from '../../components/badges.tsx';
import { Name } from '../../components/name.tsx';
import { TimeText } from '../../components/time-text.tsx';
import { useTexts } from '../../i18n/language.tsx';
import type { LiveView } from '../../live/live-feed.ts';

const SHOWN = 8;

/** The last few scans of the live view. */
export function LatestScans({ feed }: { feed: LiveView }) {
  const { overview, log, live } = useTexts();
  const keyName = useGateName();
  const latest = feed.entries.slice(0, SHOWN);
  return (
    <section className="panel latest">
      <div className="card-head">
        <h2>{overview.latest}</h2>
        <Link href="/log">{log.title}</Link>
      </div>
      {latest.length === 0 && (
        <p className="dimmed">{feed.state === 'open' ? log.emptyLive : live[feed.state]}</p>
      )}
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
