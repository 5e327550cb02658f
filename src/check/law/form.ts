import { DENIAL_NOTES } from '../facts/device-answer.ts';
import { type Answer, type Endpoint, isRest, type ScanEndpoint } from '../facts/exchange.ts';
import { isRecord } from '../facts/json.ts';
import { type Outcome, read } from '../facts/reading.ts';

/** A part of an answer that does not go with its outcome. */
export interface WrongForm {
  /** The field, or `HTTP status`. */
  readonly field: string;
  readonly expected: string | number;
  readonly observed: unknown;
}

/** How an endpoint tells an outcome. */
export interface RightForm {
  /** Left out where the specification shows none. */
  readonly status?: number;
  /** The members that tell it, with their values. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** What a display shows beside them; left out where the specification shows none. */
  readonly note?: string;
}

/** Sections 4.1, 4.2, 7.1 and 7.2: own software. A grant and a heartbeat have words of their endpoint. */
const TOLD_TO_SOFTWARE: Readonly<Partial<Record<Outcome, RightForm>>> = {
  exhausted: { status: 200, fields: { valid: false, status: 'exhausted' } },
  ticket_cancelled: { status: 200, fields: rejected('ticket_cancelled') },
  not_yet_valid: { status: 200, fields: rejected('not_yet_valid') },
  expired: { status: 200, fields: rejected('expired') },
  invalid_ticket: { fields: rejected('invalid_ticket') },
  event_not_allowed: { status: 403, fields: rejected('event_not_allowed') },
  missing_ticket_code: { status: 400, fields: rejected('missing_ticket_code') },
  not_found: { status: 404, fields: { valid: false, status: 'not_found' } },
  unauthorised: { status: 401, fields: { message: 'Forbidden' } },
  limited: { status: 429, fields: { message: 'Too Many Requests' } },
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

/** Section 2.4: what keeps the door shut. */
const DENIED = { AcsRes: '0', ActIndex: '0', Time: '0' } as const;

function rejected(reason: Outcome) {
  return { valid: false, status: 'rejected', reason };
}

/**
 * The form of an outcome at an endpoint: its HTTP status, and the members and text that tell it (sections 2.4, 4.1 to 4.4, 7).
 * @returns undefined for what is no outcome of a scan there
 */
export function rightForm(endpoint: ScanEndpoint, outcome: Outcome): RightForm | undefined {
  if (outcome === 'granted') return { status: 200, fields: grantFields(endpoint) };
  if (isRest(endpoint)) return TOLD_TO_SOFTWARE[outcome];
  const note = NOTE_OF[outcome];
  return { fields: DENIED, ...(note !== undefined && { note }) };
}

function grantFields(endpoint: ScanEndpoint): RightForm['fields'] {
  if (!isRest(endpoint)) return { AcsRes: '1' };
  return { valid: true, status: endpoint === 'consume' ? 'consumed' : 'validated' };
}

/** @returns the HTTP status that is wrong for its outcome (section 7.1); undefined at devices, where no status is shown */
export function wrongStatus(endpoint: Endpoint, answer: Answer): WrongForm | undefined {
  if (!isRest(endpoint)) return undefined;
  const { outcome } = read(answer);
  const expected = outcome === 'confirmed' ? 200 : rightForm(endpoint, outcome)?.status;
  return expected === undefined || answer.status === expected
    ? undefined
    : { field: 'HTTP status', expected, observed: answer.status };
}

/** @returns the status word of a grant that is the word of the other endpoint (sections 4.1 and 4.2) */
export function wrongStatusWord(endpoint: Endpoint, answer: Answer): WrongForm | undefined {
  if (!isRest(endpoint) || read(answer).outcome !== 'granted' || !isRecord(answer.json))
    return undefined;
  const expected = String(grantFields(endpoint)['status']);
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
