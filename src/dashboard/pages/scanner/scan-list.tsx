import { StateBadge } from '../../components/badges.tsx';
import { Name } from '../../components/name.tsx';
import { TimeText } from '../../components/time-text.tsx';
import { useTexts } from '../../i18n/language.tsx';
import { type Scan, signalOf } from '../../scanner/use-scans.ts';
import { wordFor } from './result-panel.tsx';

/** What was scanned in this tab before. */
export function ScanList({ scans }: { scans: readonly Scan[] }) {
  const texts = useTexts();
  if (scans.length === 0) return null;
  return (
    <section>
      <h2>{texts.scanner.last}</h2>
      <ul className="small-scans">
        {scans.map(({ number, at, answer }) => (
          <li key={number}>
            <TimeText at={at} only="time" />
            <ScannedHere answer={answer} />
            <StateBadge
              text={wordFor(answer, texts)}
              good={signalOf(answer) === 'unknown' ? undefined : signalOf(answer) === 'good'}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

const ID_END = 5;

/** Who came, where the answer says it; else the end of the id. */
function ScannedHere({ answer }: Pick<Scan, 'answer'>) {
  if (answer.kind !== 'decided') return <span>–</span>;
  const { holder, ticketId } = answer.result;
  if (holder) return <Name>{`${holder.firstName} ${holder.lastName}`.trim()}</Name>;
  return <span className="mono">{ticketId?.slice(-ID_END) ?? '–'}</span>;
}
