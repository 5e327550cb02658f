import { DENIAL_NOTES, usesInNote } from '../facts/device-answer.ts';
import { isRecord, type JsonRecord } from '../facts/json.ts';
import { type Endpoint, isConsume, isRest } from '../requests/endpoint.ts';
import type { Answer } from '../requests/exchange.ts';

/** What an answer says, whichever endpoint gave it. `strange` is what the specification gives no request. */
export type Outcome =
  | 'validated'
  | 'consumed'
  | 'exhausted'
  | 'invalid_ticket'
  | 'event_not_allowed'
  | 'not_found'
  | 'ticket_cancelled'
  | 'not_yet_valid'
  | 'expired'
  | 'missing_ticket_code'
  | 'unauthorised'
  | 'alive'
  | 'denied'
  | 'limited'
  | 'fault'
  | 'lost'
  | 'strange';

/** An answer in the words of the specification, with the numbers that a grant or an `exhausted` of REST shows. */
export interface Reading {
  readonly outcome: Outcome;
  readonly used?: number;
  readonly allowed?: number;
}

const OUTCOME_OF_NOTE = new Map<unknown, Outcome>([
  [DENIAL_NOTES.exhausted, 'exhausted'],
  [DENIAL_NOTES.expired, 'expired'],
  [DENIAL_NOTES.forged, 'invalid_ticket'],
  [DENIAL_NOTES.unknown, 'not_found'],
  [DENIAL_NOTES.notYetValid, 'not_yet_valid'],
  [DENIAL_NOTES.outOfScope, 'event_not_allowed'],
  ['Serverfehler', 'fault'],
]);

/** Section 7.2: the status that goes with a reason; the others go with 200, an invalid signature with any below 500. */
const STATUS_OF_REASON: Readonly<Record<string, number>> = {
  missing_ticket_code: 400,
  event_not_allowed: 403,
  ticket_cancelled: 200,
  not_yet_valid: 200,
  expired: 200,
};

/** Reads an answer (sections 2.3, 2.4, 7); none is `lost`. */
export function read(endpoint: Endpoint, answer: Answer | undefined): Reading {
  if (!answer) return { outcome: 'lost' };
  return { outcome: outcomeOf(endpoint, answer), ...countsIn(answer) };
}

/** Neither a grant nor anything else that says that the request was good. */
export function isRefusal(outcome: Outcome): boolean {
  return !['validated', 'consumed', 'alive', 'fault', 'lost', 'strange'].includes(outcome);
}

/** A ticket that is good, or was until its uses were gone. */
export function isCounted(outcome: Outcome): boolean {
  return isGrant(outcome) || outcome === 'exhausted';
}

/** A ticket that is good. */
export function isGrant(outcome: Outcome): boolean {
  return outcome === 'validated' || outcome === 'consumed';
}

function outcomeOf(endpoint: Endpoint, answer: Answer): Outcome {
  const { status, json } = answer;
  if (status === 429) return 'limited';
  if (status >= 500) return 'fault';
  const body: JsonRecord = isRecord(json) ? json : {};
  if (endpoint === 'heartbeat') return heartbeatOutcome(status, body);
  if (isRest(endpoint)) return restOutcome(status, body);
  return deviceOutcome(status, body, isConsume(endpoint));
}

function restOutcome(status: number, body: JsonRecord): Outcome {
  if (status === 401) return body['message'] === 'Forbidden' ? 'unauthorised' : 'denied';
  const outcome = resultOutcome(status, body);
  if (outcome) return outcome;
  return status >= 400 && body['valid'] !== true ? 'denied' : 'strange';
}

function resultOutcome(status: number, body: JsonRecord): Outcome | undefined {
  const { status: result, valid } = body;
  if (status === 200 && valid === true && (result === 'validated' || result === 'consumed'))
    return result;
  if (valid !== false) return undefined;
  if (status === 200 && result === 'exhausted') return 'exhausted';
  if (status === 404 && result === 'not_found') return 'not_found';
  return result === 'rejected' ? rejection(status, body['reason']) : undefined;
}

function rejection(status: number, reason: unknown): Outcome | undefined {
  if (reason === 'invalid_ticket') return 'invalid_ticket';
  return STATUS_OF_REASON[String(reason)] === status ? (reason as Outcome) : undefined;
}

function deviceOutcome(status: number, body: JsonRecord, consumes: boolean): Outcome {
  if (body['AcsRes'] === '1') {
    const isGranted = status === 200 && usesInNote(body['Note']) !== undefined;
    if (!isGranted) return 'strange';
    return consumes ? 'consumed' : 'validated';
  }
  if (body['AcsRes'] === '0') return OUTCOME_OF_NOTE.get(body['Note']) ?? 'denied';
  return status >= 400 ? 'denied' : 'strange';
}

function heartbeatOutcome(status: number, body: JsonRecord): Outcome {
  if (body['AcsRes'] === '0' || status >= 400) return 'denied';
  return status === 200 && 'Key' in body ? 'alive' : 'strange';
}

function countsIn({ json }: Answer): Pick<Reading, 'used' | 'allowed'> {
  const body: JsonRecord = isRecord(json) ? json : {};
  const note = usesInNote(body['Note']);
  if (note) return note;
  const { usesConsumed, usesAllowed } = body;
  return {
    ...(typeof usesConsumed === 'number' ? { used: usesConsumed } : {}),
    ...(typeof usesAllowed === 'number' ? { allowed: usesAllowed } : {}),
  };
}
