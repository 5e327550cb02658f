import { useGateName } from '../api/lists.ts';
import type { LogEntry } from '../api/types.ts';
import { OutcomeBadge } from './badges.tsx';
import { Name } from './name.tsx';
import { gateOf } from './scan-table.tsx';
import { ScannedTicket } from './ticket-name.tsx';
import { TimeText } from './time-text.tsx';

interface SmallScansProps {
  readonly scans: readonly LogEntry[];
  /** Left out where all are of one device. */
  readonly withGate: boolean;
}

/** A few scans, each on a line that leads to its ticket. */
export function SmallScans({ scans, withGate }: SmallScansProps) {
  const keyName = useGateName();
  return (
    <ul className="small-scans">
      {scans.map((scan) => (
        <li key={scan.sequence}>
          <TimeText at={scan.at} only="time" />
          <span>
            <ScannedTicket ticketId={scan.ticketId} excerpt={scan.excerpt} />
          </span>
          <OutcomeBadge scan={scan} />
          {withGate && <Name>{gateOf(scan, keyName)}</Name>}
        </li>
      ))}
    </ul>
  );
}
