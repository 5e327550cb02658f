import { Button } from '@mantine/core';
import { IconCircleCheck, IconCircleX, IconHelpCircle } from '@tabler/icons-react';
import { type Texts, useTexts } from '../../i18n/language.tsx';
import type { ScanAnswer } from '../../scanner/scan-ticket.ts';
import { type Scan, signalOf } from '../../scanner/use-scans.ts';
import { ResultDetail } from './result-detail.tsx';

interface ResultPanelProps {
  readonly scan: Scan | undefined;
  readonly pending: boolean;
  readonly onRetry: (scan: Scan) => void;
}

const ICONS = { good: IconCircleCheck, bad: IconCircleX, unknown: IconHelpCircle };
const ICON_SIZE = 96;
const MAY_REPEAT: ReadonlySet<ScanAnswer['kind']> = new Set(['unknown', 'too_many']);

/** The answer to the last scan: colour, sign and word, to be seen from two metres away. */
export function ResultPanel({ scan, pending, onRetry }: ResultPanelProps) {
  const texts = useTexts();
  const { scanner } = texts;
  const signal = scan && signalOf(scan.answer);
  const Icon = signal && ICONS[signal];
  return (
    <div className={`result ${pending ? 'pending' : (signal ?? 'ready')}`}>
      <div role="status" aria-live="assertive" aria-atomic>
        {/* The number makes the same answer to the next ticket a new announcement. */}
        <div className="result-text" key={scan?.number}>
          {Icon && <Icon size={ICON_SIZE} aria-hidden />}
          <strong className="result-word">
            {scan ? wordFor(scan.answer, texts) : scanner.ready}
          </strong>
          {scan ? <ResultDetail answer={scan.answer} /> : <span>{scanner.readyHelp}</span>}
        </div>
      </div>
      {scan?.answer.kind === 'signed_out' && (
        <Button variant="white" color="dark" onClick={() => location.reload()}>
          {scanner.signInAgain}
        </Button>
      )}
      {scan && MAY_REPEAT.has(scan.answer.kind) && (
        <Button variant="white" color="dark" onClick={() => onRetry(scan)}>
          {texts.general.retry}
        </Button>
      )}
    </div>
  );
}

const NOT_SCANNED: ReadonlySet<ScanAnswer['kind']> = new Set([
  'too_many',
  'signed_out',
  'not_allowed',
]);

/** The word in large letters. */
export function wordFor(answer: ScanAnswer, { scanner }: Texts): string {
  if (answer.kind === 'unknown') return scanner.unknown;
  if (NOT_SCANNED.has(answer.kind)) return scanner.notScanned;
  if (answer.kind !== 'decided' || !answer.result.valid) return scanner.denied;
  return answer.result.status === 'consumed' ? scanner.admitted : scanner.valid;
}
