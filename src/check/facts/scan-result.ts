import { isRecord, type JsonRecord, stringsIn } from './json.ts';
import { readTimestamp } from './timestamp.ts';

/** Section 2.3: the status values and what `valid` is with each. */
export const VALID_OF_STATUS: Readonly<Record<string, boolean>> = {
  validated: true,
  consumed: true,
  exhausted: false,
  rejected: false,
  not_found: false,
};

/** Section 2.3: the rejection reasons. */
export const REASONS: readonly string[] = [
  ...['invalid_ticket', 'event_not_allowed', 'ticket_cancelled', 'not_yet_valid', 'expired'],
  'missing_ticket_code',
];

/** Section 2.3: fields that say something about a ticket; never part of the bodies of section 7.2. */
export const TICKET_FIELDS: readonly string[] = [
  ...['ticketId', 'ticketType', 'usesAllowed', 'usesConsumed', 'usesRemaining'],
  ...['holder', 'validFrom', 'validUntil', 'scannedAt'],
];

/** Section 2.3: the fields that are moments. */
export const TIME_FIELDS = ['scannedAt', 'validFrom', 'validUntil'] as const;

interface FieldRule {
  /** The type in words, as the specification names it. */
  readonly type: string;
  readonly fits: (value: unknown) => boolean;
}

const COUNT = 'whole number of at least 0';
const isCount = (value: unknown) =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0;
const isText = (value: unknown) =>
  typeof value === 'string' && value.trim() !== '' && value.isWellFormed();
// A list may have brought U+FFFD into a name, which is shown as it is then; half a surrogate pair is no text.
const isWhole = (value: unknown) =>
  isRecord(value) && [...stringsIn(value)].every(({ text }) => text.isWellFormed());
const isWindowEnd = (value: unknown) => value === null || readTimestamp(value) !== undefined;

/** Section 2.3: the type of each field. */
export const FIELD_RULES: Readonly<Record<string, FieldRule>> = {
  valid: { type: 'boolean', fits: (value) => typeof value === 'boolean' },
  status: { type: 'string', fits: (value) => typeof value === 'string' },
  message: { type: 'string with text, no half character', fits: isText },
  ticketId: { type: 'string', fits: isText },
  ticketType: {
    type: '"single" or "multi"',
    fits: (value) => value === 'single' || value === 'multi',
  },
  usesAllowed: { type: COUNT, fits: isCount },
  usesConsumed: { type: COUNT, fits: isCount },
  usesRemaining: { type: COUNT, fits: isCount },
  holder: { type: 'object, no half character in a name', fits: isWhole },
  validFrom: { type: 'ISO 8601 timestamp or null', fits: isWindowEnd },
  validUntil: { type: 'ISO 8601 timestamp or null', fits: isWindowEnd },
  scannedAt: { type: 'ISO 8601 timestamp', fits: (value) => readTimestamp(value) !== undefined },
  reason: {
    type: 'one of the rejection reasons',
    // only the samples show whether `reason` may be null where there is none: its type allows it
    fits: (value) => value === null || (typeof value === 'string' && REASONS.includes(value)),
  },
};

/** Section 2.3: every field that a scan result may have. */
export const RESULT_FIELDS: readonly string[] = Object.keys(FIELD_RULES);

/** True for a field that is there and of its type. */
export function isTyped(result: JsonRecord, name: string): boolean {
  return FIELD_RULES[name]?.fits(result[name]) === true;
}

/** True for a field that is of its type, absent, or has no rule of its own. */
export function mayTell(result: JsonRecord, name: string): boolean {
  return result[name] === undefined || !(name in FIELD_RULES) || isTyped(result, name);
}
