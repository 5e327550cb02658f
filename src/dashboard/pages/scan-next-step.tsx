import { useFormats, useTexts } from '../i18n/language.tsx';
import type { ScanResult } from '../scanner/scan-requests.ts';

interface NextStepProps {
  readonly result: ScanResult;
  /** Whether the device stands at a way out. */
  readonly isOut: boolean;
}

/** Tells who stands at the gate what to do, and to say to the guest. */
export function NextStep({ result, isOut }: NextStepProps) {
  const { nextSteps, stepsOut, letSeveralIn } = useTexts().scanner;
  const formats = useFormats();
  if (isOut) {
    const notCounted = result.reason === 'not_used' ? stepsOut.notUsed : stepsOut.other;
    return <span className="next-step">{result.valid ? stepsOut.counted : notCounted}</span>;
  }
  const { usesTaken = 1 } = result;
  if (result.valid && usesTaken > 1)
    return <strong className="next-step">{letSeveralIn(usesTaken)}</strong>;
  const name = (result.reason ?? result.status) as keyof typeof nextSteps;
  const step = nextSteps[name];
  if (!step) return null;
  const bound = { not_yet_valid: result.validFrom, expired: result.validUntil }[name as string];
  const text =
    typeof step === 'function' ? step(bound ? formats.dateTime(bound) : undefined) : step;
  return <span className="next-step">{text}</span>;
}
