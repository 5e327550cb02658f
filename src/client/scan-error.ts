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
  /** Of the last answer; undefined when there was none. */
  readonly httpStatus: number | undefined;
  /** The waiting time of the last 429. */
  readonly retryAfterMs: number | undefined;
  /** Of a consume, where one was sent. */
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
