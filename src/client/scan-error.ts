import { type Caller, connectionFailure, inOneClause, LIBRARY } from '../kit/failures.ts';
import type { FailedAttempt } from './attempt.ts';

/**
 * `usage`: wrong options. `key_refused`: HTTP 401. `rate_limited`: HTTP 429, and no time is left to wait.
 * `request_conflict`: HTTP 422, the Idempotency-Key came with another code before. `server_error`: HTTP 5xx.
 * `no_answer`: no connection, none in time, or one that broke. `unexpected_answer`: an answer that is not a scan result.
 * `aborted`: by the caller's signal.
 */
export type ScanErrorCode =
  | 'usage'
  | 'key_refused'
  | 'rate_limited'
  | 'request_conflict'
  | 'server_error'
  | 'no_answer'
  | 'unexpected_answer'
  | 'aborted';

export interface ScanErrorFacts {
  readonly useTaken?: 'no' | 'unknown';
  readonly httpStatus?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly cause?: unknown;
}

/** No result: do not open. Never contains the API key or the ticket code. */
export class ScanError extends Error {
  override readonly name = 'ScanError';
  readonly code: ScanErrorCode;
  /**
   * `no`: certainly no use was taken. `unknown`: one may have been taken, and a new call could take a second. Call again with
   * `idempotencyKey`: then at most one is.
   */
  readonly useTaken: 'no' | 'unknown';
  /** The status of the last answer; undefined when there was none. */
  readonly httpStatus: number | undefined;
  /** The waiting time of the last 429. */
  readonly retryAfterMs: number | undefined;
  /** The key of a consume, where one was sent. */
  readonly idempotencyKey: string | undefined;

  constructor(code: ScanErrorCode, message: string, facts: ScanErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = code;
    this.useTaken = facts.useTaken ?? 'no';
    this.httpStatus = facts.httpStatus;
    this.retryAfterMs = facts.retryAfterMs;
    this.idempotencyKey = facts.idempotencyKey;
  }
}

const NO_USE = 'No use was taken.';
const UNKNOWN_USE = 'Whether a use was taken is unknown.';

/** The error of a call whose last try brought no result. @param origin of the service */
export function errorAfter(
  attempt: FailedAttempt,
  facts: ScanErrorFacts,
  origin: string,
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
      const message = unansweredText(cause, { origin, useTaken: facts.useTaken }, LIBRARY);
      return new ScanError('no_answer', message, { ...facts, cause });
    }
    case 'refused':
      return refusal(attempt.httpStatus, use, facts);
  }
}

/** What a call says that got no answer. */
export function unansweredText(
  cause: unknown,
  {
    origin,
    useTaken,
  }: { readonly origin: string; readonly useTaken: ScanErrorFacts['useTaken'] | undefined },
  caller: Caller,
): string {
  const why = inOneClause(connectionFailure(cause, origin, caller));
  const end = why.endsWith('?') ? '' : '.';
  return `The service did not answer: ${why}${end} ${useTaken === 'unknown' ? UNKNOWN_USE : NO_USE}`;
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
