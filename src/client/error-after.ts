import type { FailedAttempt } from './attempt.ts';
import { ScanError, type ScanErrorFacts } from './scan-error.ts';

const NO_USE = 'No use was taken.';
const UNKNOWN_USE = 'Whether a use was taken is unknown.';

/** The error of a call whose last try brought no result. */
export function errorAfter(
  attempt: FailedAttempt,
  facts: ScanErrorFacts,
  signal: AbortSignal | undefined,
): ScanError {
  const use = facts.useTaken === 'unknown' ? UNKNOWN_USE : NO_USE;
  switch (attempt.kind) {
    case 'limited': {
      const { retryAfterMs } = attempt;
      const message = `The service refuses further requests for now (HTTP 429). ${use}`;
      return new ScanError('rate_limited', message, { ...facts, httpStatus: 429, retryAfterMs });
    }
    case 'failed': {
      const message = `The service failed (HTTP ${attempt.httpStatus}). ${use}`;
      return new ScanError('server_error', message, { ...facts, httpStatus: attempt.httpStatus });
    }
    case 'lost': {
      const { cause } = attempt;
      if (signal?.aborted) return new ScanError('aborted', `The call was aborted. ${use}`, facts);
      const message = `The service did not answer: ${textOf(cause)}. ${use}`;
      return new ScanError('no_answer', message, { ...facts, cause });
    }
    case 'refused':
      return refusal(attempt.httpStatus, use, facts);
  }
}

function refusal(httpStatus: number, use: string, facts: ScanErrorFacts): ScanError {
  const all = { ...facts, httpStatus };
  if (httpStatus === 401) {
    return new ScanError('key_refused', `The service refuses the API key (HTTP 401). ${use}`, all);
  }
  if (httpStatus === 422) {
    const message = `The Idempotency-Key was used with another code before (HTTP 422). ${use}`;
    return new ScanError('request_conflict', message, all);
  }
  const message = `The answer is not a scan result (HTTP ${httpStatus}). Is the address right? ${use}`;
  return new ScanError('unexpected_answer', message, all);
}

function textOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.name === 'TimeoutError' ? 'no answer in time' : cause.message.replace(/\.$/, '');
}
