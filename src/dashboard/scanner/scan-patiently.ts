import { scanAsAccount } from './scan-as-account.ts';
import { type ScanAnswer, type ScanAttempt, scanWithKey } from './scan-ticket.ts';

/** A guest waits at the gate: after this time the page says that it takes longer. */
const WAIT_MS_MAX = 60_000;
const BACKOFF_FIRST_MS = 250;
const BACKOFF_MAX_MS = 5000;

/**
 * Asks about a ticket; after a 429 waits as long as the server says, and a little longer each time, and asks again.
 * @param onWait called with the waiting time in milliseconds
 * @param stop ends the waiting: the answer is then the 429
 */
export async function scanPatiently(
  attempt: ScanAttempt,
  onWait: (ms: number) => void,
  stop: AbortSignal,
): Promise<ScanAnswer> {
  const deadline = performance.now() + WAIT_MS_MAX;
  for (let tries = 0; ; tries += 1) {
    const answer = await scan(attempt);
    if (answer.kind !== 'too_many') return answer;
    const ms = answer.retryAfterMs + backoffMs(tries);
    const isWorthIt = !stop.aborted && performance.now() + ms < deadline;
    if (isWorthIt) {
      onWait(ms);
      await waitFor(ms, stop);
    }
    if (!isWorthIt || stop.aborted) return attempt.inDoubt ? { kind: 'unknown' } : answer;
  }
}

async function scan(attempt: ScanAttempt): Promise<ScanAnswer> {
  const { key, ticketCode } = attempt;
  const answer = await (key === null ? scanAsAccount(attempt) : scanWithKey(attempt, key));
  return CODE_FORM.test(ticketCode) ? answer : withoutCode(answer, ticketCode);
}

const CODE_FORM = /^TS[12]\./iu;

/** A part of an identifier, or the QR code of something else, is no forged ticket. Of a whole identifier the answer says that it is unknown. */
function withoutCode(answer: ScanAnswer, text: string): ScanAnswer {
  if (answer.kind !== 'decided' || answer.result.reason !== 'invalid_ticket') return answer;
  return {
    kind: 'decided',
    result: { ...answer.result, reason: 'missing_ticket_code', searchFor: text },
  };
}

/** Doubles; its random half keeps gates that were refused together from coming back together. */
function backoffMs(tries: number): number {
  const longest = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** tries);
  return longest * (0.5 + Math.random() / 2);
}

function waitFor(ms: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    stop.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
