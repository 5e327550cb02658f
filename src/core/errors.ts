import { withoutKeys } from '../kit/secrets.ts';
import {
  type ErrorReason,
  type Explanation,
  REFUSALS,
  refusalText,
  type ValuesFor,
} from './refusals/catalogue.ts';
import type { ErrorCode, ErrorValues } from './refusals/kinds.ts';

export type { ErrorCode } from './refusals/kinds.ts';

/**
 * A failure we expect and handle. Messages repeat what was
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

interface RefusalOptions extends ErrorOptions {
  /** What of several is refused, such as an option or a file: it begins the message. */
  readonly of?: string | undefined;
  /** A sentence that only the message has: what the page shows otherwise, or cannot know. */
  readonly detail?: string | undefined;
}

type RefusalArguments<Values> = keyof Values extends never
  ? [values?: ErrorValues, options?: RefusalOptions]
  : [values: Values & ErrorValues, options?: RefusalOptions];

/** The error for a reason of the catalogue. Values beyond those in its text are for programs. */
export function refuse<Reason extends ErrorReason>(
  reason: Reason,
  ...[values = {}, { of, detail, cause } = {}]: RefusalArguments<ValuesFor<Reason>>
): TicketscanError {
  const text = `${of ? `${of}: ` : ''}${refusalText(reason, values)}`;
  const message = detail ? `${text} ${detail}` : text;
  const { code } = REFUSALS[reason];
  return new TicketscanError(code, message, { ...(cause ? { cause } : {}), reason, values });
}

/** What a row, an answer or another thread repeats of an error. */
export function explanationOf({ reason, values }: TicketscanError): Explanation {
  if (reason === undefined) return {};
  return Object.keys(values).length > 0 ? { reason, values } : { reason };
}

/** An error as it crosses to another thread, which its class does not. */
export interface Failure extends Explanation {
  /** Null unless the error is a TicketscanError. */
  readonly code: ErrorCode | null;
  readonly message: string;
}

export function failureOf(error: unknown): Failure {
  const message = messageOf(error);
  if (!(error instanceof TicketscanError)) return { code: null, message };
  return { code: error.code, message, ...explanationOf(error) };
}

/** The error that `failureOf` described. */
export function errorOf({ code, message, reason, values }: Failure): Error {
  if (code === null) return new Error(message);
  return new TicketscanError(code, message, { reason, values });
}

/** A temporary refusal: the same request may succeed later. */
export class RetryLater extends TicketscanError {
  readonly retryAfterSeconds: number;

  constructor(code: 'too_many_attempts' | 'busy', retryAfterSeconds: number) {
    super(code, refusalText(code, { seconds: retryAfterSeconds }) ?? code);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The message of anything thrown, where only text can be shown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** True where another one changed the same record first. */
export function isConflict(error: unknown): boolean {
  return error instanceof TicketscanError && error.code === 'conflict';
}

/** Turns a conflict into undefined, for `catch`: another process wrote in between. @throws any other error */
export function undefinedOnConflict(error: unknown): undefined {
  if (!isConflict(error)) throw error;
}
