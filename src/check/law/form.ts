import { DENIAL_NOTES } from '../facts/device-answer.ts';
import { type Answer, type Endpoint, isRest } from '../facts/exchange.ts';
import { isRecord } from '../facts/json.ts';
import { type Outcome, read } from '../facts/reading.ts';

/** A part of an answer that does not go with its outcome. */
export interface WrongForm {
  /** The field, or `HTTP status`. */
  readonly field: string;
  readonly expected: string | number;
  readonly observed: unknown;
}

/** Section 7.1: the HTTP status of an outcome, for own software. */
const STATUS_OF: Readonly<Partial<Record<Outcome, number>>> = {
  granted: 200,
  exhausted: 200,
  ticket_cancelled: 200,
  not_yet_valid: 200,
  expired: 200,
  confirmed: 200,
  event_not_allowed: 403,
  not_found: 404,
  missing_ticket_code: 400,
  unauthorised: 401,
};

/** Section 7.3: the Note of a denial. */
const NOTE_OF: Readonly<Partial<Record<Outcome, string>>> = {
  exhausted: DENIAL_NOTES.exhausted,
  expired: DENIAL_NOTES.expired,
  invalid_ticket: DENIAL_NOTES.forged,
  not_found: DENIAL_NOTES.unknown,
  not_yet_valid: DENIAL_NOTES.notYetValid,
  event_not_allowed: DENIAL_NOTES.outOfScope,
};

/** @returns the HTTP status that is wrong for its outcome (section 7.1); undefined at devices, where no status is shown */
export function wrongStatus(endpoint: Endpoint, answer: Answer): WrongForm | undefined {
  if (!isRest(endpoint)) return undefined;
  const expected = STATUS_OF[read(answer).outcome];
  return expected === undefined || answer.status === expected
    ? undefined
    : { field: 'HTTP status', expected, observed: answer.status };
}

/** @returns the status word of a grant that is the word of the other endpoint (sections 4.1 and 4.2) */
export function wrongStatusWord(endpoint: Endpoint, answer: Answer): WrongForm | undefined {
  if (!isRest(endpoint) || read(answer).outcome !== 'granted' || !isRecord(answer.json))
    return undefined;
  const expected = endpoint === 'consume' ? 'consumed' : 'validated';
  const { status } = answer.json;
  return status === expected ? undefined : { field: 'status', expected, observed: status };
}

/** @returns the text of a display that is not the one for a ticket refused for this reason (section 7.3) */
export function wrongNote(answer: Answer, reason: Outcome | undefined): WrongForm | undefined {
  const expected = NOTE_OF[reason ?? 'strange'];
  const { AcsRes, Note } = isRecord(answer.json) ? answer.json : {};
  return AcsRes === undefined || expected === undefined || Note === expected
    ? undefined
    : { field: 'Note', expected, observed: Note };
}
