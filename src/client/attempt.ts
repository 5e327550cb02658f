import { type Operation, readScanResult, type ScanResult } from './scan-result.ts';

/** The outcome of one try. */
export type Attempt = { readonly kind: 'answered'; readonly result: ScanResult } | FailedAttempt;

export type FailedAttempt =
  /** HTTP 429: no use was taken. */
  | { readonly kind: 'limited'; readonly retryAfterMs: number | undefined }
  /** HTTP 5xx: whether a use was taken is unknown (section 7.1). */
  | { readonly kind: 'failed'; readonly httpStatus: number }
  /** No answer, or half of one. */
  | { readonly kind: 'lost'; readonly cause: unknown }
  /** An answer that says nothing of the ticket. */
  | { readonly kind: 'refused'; readonly httpStatus: number };

/** What came over the wire. */
export interface HttpAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly text: string;
}

/** Reads an answer. @param nowMs wall clock, for a `Retry-After` that is a date */
export function attemptFrom(operation: Operation, answer: HttpAnswer, nowMs: number): Attempt {
  const { status, retryAfter, text } = answer;
  if (status === 429) return { kind: 'limited', retryAfterMs: retryAfterMs(retryAfter, nowMs) };
  if (status >= 500) return { kind: 'failed', httpStatus: status };
  const result = readScanResult(operation, status, text);
  return result ? { kind: 'answered', result } : { kind: 'refused', httpStatus: status };
}

/** RFC 9110 10.2.3: seconds, or a date. */
function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,10}$/.test(header)) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}

/** Nothing was sent in such a try: no connection, or no trusted one. */
const NOTHING_SENT =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_\w+|\w*CERT\w*|UNABLE_TO_\w+)$/;

/** True for a failure of the connecting itself, to each address of the server. The same codes can end a connection that was open. */
function isOfConnecting(cause: unknown): boolean {
  if (cause instanceof AggregateError) return cause.errors.every(isOfConnecting);
  return (cause as { syscall?: unknown } | null)?.syscall === 'connect';
}

/** Whether the server may have taken a use in this try. */
export function mayHaveTakenUse(attempt: FailedAttempt): boolean {
  switch (attempt.kind) {
    case 'limited':
      return false;
    case 'failed':
      return true;
    case 'refused':
      return attempt.httpStatus < 300;
    case 'lost':
      return (
        !isOfConnecting(attempt.cause) &&
        !NOTHING_SENT.test(String((attempt.cause as { code?: unknown } | null)?.code))
      );
  }
}
