import { withoutKeys } from '../kit/secrets.ts';
import type { ErrorReason, ErrorValues, Explanation } from './error-reasons.ts';

/** The kinds of expected failures. The message is for a person and says what to do. */
export type ErrorCode =
  | 'usage'
  | 'not_found'
  | 'conflict'
  | 'limit_reached'
  | 'not_allowed'
  | 'too_many_attempts'
  | 'busy'
  | 'keyring'
  | 'store_busy'
  | 'store_newer'
  | 'store_damaged'
  | 'store_unavailable'
  | 'unreachable';

/**
 * A failure we expect and handle. Knows nothing of HTTP or exit codes; the edges pick those. Messages repeat what was
 * given, and people give keys in place of names: no message contains a key.
 */
export class TicketscanError extends Error {
  override readonly name = 'TicketscanError';
  readonly code: ErrorCode;
  readonly reason: ErrorReason | undefined;
  readonly values: ErrorValues;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions & Explanation) {
    super(withoutKeys(message), options);
    this.code = code;
    this.reason = options?.reason;
    this.values = withoutKeysIn(options?.values ?? {});
  }
}

function withoutKeysIn(values: ErrorValues): ErrorValues {
  const safe = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'string' ? withoutKeys(value) : value,
  ]);
  return Object.fromEntries(safe);
}

/** What a row, an answer or another thread repeats of an error. */
export function explanationOf({ reason, values }: TicketscanError): Explanation {
  return reason === undefined ? {} : { reason, values };
}

/** A temporary refusal: the same request may succeed later. */
export class RetryLater extends TicketscanError {
  readonly retryAfterSeconds: number;

  constructor(code: 'too_many_attempts' | 'busy', retryAfterSeconds: number) {
    const why = code === 'busy' ? 'The server is busy.' : 'Too many attempts.';
    super(code, `${why} Try again in ${retryAfterSeconds} seconds.`);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The message of anything thrown, for places that can only show text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
