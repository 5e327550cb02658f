import { useFormats, useTexts } from '../i18n/language.tsx';
import type { ScanResult } from '../scanner/scan-requests.ts';

/** Tells who stands at the gate what to do, and to say to the guest. */
export function NextStep({ result }: { result: ScanResult }) {
  const { nextSteps } = useTexts().scanner;
  const formats = useFormats();
  const name = (result.reason ?? result.status) as keyof typeof nextSteps;
  const step = nextSteps[name];
  if (!step) return null;
  const bound = { not_yet_valid: result.validFrom, expired: result.validUntil }[name as string];
  const text =
    typeof step === 'function' ? step(bound ? formats.dateTime(bound) : undefined) : step;
  return <span className="next-step">{text}</span>;
}
