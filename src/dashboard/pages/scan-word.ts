import type { Texts } from '../i18n/texts.ts';
import { isQuestion, type Scan } from '../scanner/scan-queue.ts';
import type { ScanAnswer, ScanAttempt } from '../scanner/scan-requests.ts';

type Kind = ScanAnswer['kind'];
const NOT_SCANNED: ReadonlySet<Kind> = new Set<Kind>([
  'too_many',
  'too_few',
  'signed_out',
  'not_allowed',
]);

/** What kind of answer a scan has; undefined before it has one. */
export function kindOf({ state }: Scan): Kind | undefined {
  return state.step === 'answered' ? state.answer.kind : undefined;
}

/** The word in large letters. */
export function wordFor(scan: Scan, { scanner }: Texts): string {
  const { state, attempt } = scan;
  if (state.step === 'answered') {
    if (isQuestion(scan)) return state.isHeld ? scanner.letInQuestion : scanner.notLetIn;
    const { peopleOut = 1 } = state;
    return peopleOut > 1
      ? scanner.countedOutAgain(peopleOut)
      : answerWord(state.answer, attempt, scanner);
  }
  if (state.step === 'not_taken') return scanner.notTaken;
  return state.step === 'pausing' ? scanner.wait : scanner.checking;
}

function answerWord(
  answer: ScanAnswer,
  { direction }: ScanAttempt,
  scanner: Texts['scanner'],
): string {
  if (answer.kind === 'unknown') return scanner.unknown;
  if (NOT_SCANNED.has(answer.kind)) return scanner.notScanned;
  if (answer.kind !== 'decided' || !answer.result.valid) {
    return direction ? scanner.notCounted : scanner.denied;
  }
  if (direction) return scanner.countedOut;
  return answer.result.status === 'consumed' ? scanner.admitted : scanner.valid;
}
