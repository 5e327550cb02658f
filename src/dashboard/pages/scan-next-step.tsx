import { useFormats, useTexts } from '../i18n/language.tsx';
import type { Texts } from '../i18n/texts.ts';
import type { ScanAttempt, ScanResult } from '../scanner/scan-requests.ts';

interface NextStepProps {
  readonly result: ScanResult;
  readonly attempt: Pick<ScanAttempt, 'direction' | 'isSeen'>;
}

/** Tells who stands at the gate what to do, and to say to the guest. */
export function NextStep({ result, attempt }: NextStepProps) {
  const { scanner } = useTexts();
  const formats = useFormats();
  const { nextSteps } = scanner;
  if (attempt.direction === 'out') return <StepOut result={result} />;
  const urgent = urgentStep(result, attempt.isSeen === true, scanner);
  if (urgent !== undefined) return <strong className="next-step">{urgent}</strong>;
  const name = (result.reason ?? result.status) as keyof typeof nextSteps;
  const step = nextSteps[name];
  if (!step) return null;
  const bound = { not_yet_valid: result.validFrom, expired: result.validUntil }[name as string];
  const text =
    typeof step === 'function' ? step(bound ? formats.dateTime(bound) : undefined) : step;
  return <span className="next-step">{text}</span>;
}

function StepOut({ result }: Pick<NextStepProps, 'result'>) {
  const { stepsOut } = useTexts().scanner;
  const notCounted = result.reason === 'not_used' ? stepsOut.notUsed : stepsOut.other;
  return <span className="next-step">{result.valid ? stepsOut.counted : notCounted}</span>;
}

/** What to do about a use that was taken, where letting one guest in is not all: somebody must look first, or several people come in. */
function urgentStep(
  { status, attention, note, usesTaken = 1 }: ScanResult,
  isSeen: boolean,
  { letSeveralIn, lookFirst, readNoteFirst }: Texts['scanner'],
): string | undefined {
  if (status !== 'consumed') return undefined;
  if (attention && !isSeen) return (note ? readNoteFirst : lookFirst)(usesTaken);
  return usesTaken > 1 ? letSeveralIn(usesTaken) : undefined;
}
