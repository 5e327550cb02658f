import { withoutKeys } from './safe-text.ts';

/** What can go wrong in a way that we expect. The message is for a person and says what to do. */
export type ErrorCode =
  | 'usage'
  | 'not_found'
  | 'conflict'
  | 'limit_reached'
  | 'not_allowed'
  | 'keyring'
  | 'store_busy'
  | 'store_newer'
  | 'store_damaged'
  | 'store_unavailable'
  | 'unreachable';

/**
 * A failure we expect and handle. Knows nothing of HTTP or exit codes; the edges pick those. Messages repeat what was
 * given, and people give keys in the place of names: no message holds one.
 */
export class TicketscanError extends Error {
  override readonly name = 'TicketscanError';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(withoutKeys(message), options);
    this.code = code;
  }
}

/** The message of anything thrown, for places that can only show text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
