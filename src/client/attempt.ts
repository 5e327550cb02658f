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
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT|ERR_PROXY|ERR_TLS_\w+|\w*CERT\w*|UNABLE_TO_\w+)$/;

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

const BACKOFF_FIRST_MS = 200;
const BACKOFF_MAX_MS = 5000;
const SERVER_FAILURES_MAX = 4;
/** The second lost answer ends the call, because a person is waiting at the gate. */
const LOST_MAX = 2;

/** True for an answer that nobody can read: the next one is alike, and a connection that breaks then would hide the reason. */
function isForGood(cause: unknown): boolean {
  return /^ERR_ANSWER_/.test(String((cause as { code?: unknown } | null)?.code));
}

/** Whether a call is retried, and after what time. */
export class RetryPolicy {
  readonly #mayRepeat: boolean;
  readonly #random: () => number;
  #tries = 0;
  #failed = 0;
  #lost = 0;

  /** @param mayRepeat false where a repeated request could take a second use; a 429 took none, and is repeated all the same */
  constructor(mayRepeat: boolean, random: () => number) {
    this.#mayRepeat = mayRepeat;
    this.#random = random;
  }

  /** Milliseconds, or undefined when another try is of no use. */
  waitMsAfter(attempt: FailedAttempt): number | undefined {
    this.#tries += 1;
    switch (attempt.kind) {
      case 'limited':
        return (attempt.retryAfterMs ?? 0) + this.#backoffMs();
      case 'failed':
        this.#failed += 1;
        return this.#mayRepeat && this.#failed < SERVER_FAILURES_MAX
          ? this.#backoffMs()
          : undefined;
      case 'lost':
        this.#lost += 1;
        if (isForGood(attempt.cause)) return undefined;
        return this.#mayRepeat && this.#lost < LOST_MAX ? this.#backoffMs() : undefined;
      case 'refused':
        return undefined;
    }
  }

  /** Doubles with each try; the jitter keeps gates that were refused together from coming back together. */
  #backoffMs(): number {
    const longest = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** (this.#tries - 1));
    return longest * (0.5 + this.#random() / 2);
  }
}
