import { StateBadge } from '../../components/badges.tsx';
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
            <TimeText at={at} timeOnly />
            <StateBadge
              text={wordFor(answer, texts)}
              good={signalOf(answer) === 'unknown' ? undefined : signalOf(answer) === 'good'}
            />
            <span className="mono">
              {answer.kind === 'decided' ? (answer.result.ticketId ?? '–') : '–'}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
