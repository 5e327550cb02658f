import { DENIAL_NOTES, usesInNote } from '../../facts/device-answer.ts';
import { isRecord, type JsonRecord } from '../../facts/json.ts';
import type { Answer } from '../../requests/exchange.ts';
import { isDevice } from '../histories/history.ts';
import type { Observation } from '../run/observation.ts';

/** What an answer says, whichever endpoint gave it. `strange` is what the specification gives no request. */
export type Meaning =
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

const NOTE_MEANINGS = new Map<unknown, Meaning>([
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

/** What a request's answer says (sections 2.3, 2.4, 7). */
export function meaningOf({ step, answer }: Pick<Observation, 'step' | 'answer'>): Meaning {
  if (!answer) return 'lost';
  if (answer.status === 429) return 'limited';
  if (answer.status >= 500) return 'fault';
  if (step.action === 'heartbeat') return heartbeatMeaning(answer);
  if (isDevice(step.action)) return deviceMeaning(answer, step.action === 'device-consume');
  return restMeaning(answer);
}

/** True for an answer that says that a limit was exceeded. */
export function isLimited(observation: Pick<Observation, 'step' | 'answer'>): boolean {
  return meaningOf(observation) === 'limited';
}

/** Neither a grant nor anything else that says that the request was good. */
export function isRefusal(meaning: Meaning): boolean {
  return !['validated', 'consumed', 'alive', 'fault', 'lost', 'strange'].includes(meaning);
}

function restMeaning({ status, json }: Answer): Meaning {
  const body: JsonRecord = isRecord(json) ? json : {};
  if (status === 401) return body['message'] === 'Forbidden' ? 'unauthorised' : 'denied';
  const meaning = resultMeaning(status, body);
  if (meaning) return meaning;
  return status >= 400 && body['valid'] !== true ? 'denied' : 'strange';
}

function resultMeaning(status: number, body: JsonRecord): Meaning | undefined {
  const { status: result, valid } = body;
  if (status === 200 && valid === true && (result === 'validated' || result === 'consumed'))
    return result;
  if (valid !== false) return undefined;
  if (status === 200 && result === 'exhausted') return 'exhausted';
  if (status === 404 && result === 'not_found') return 'not_found';
  return result === 'rejected' ? rejection(status, body['reason']) : undefined;
}

function rejection(status: number, reason: unknown): Meaning | undefined {
  if (reason === 'invalid_ticket') return 'invalid_ticket';
  return STATUS_OF_REASON[String(reason)] === status ? (reason as Meaning) : undefined;
}

function deviceMeaning({ status, json }: Answer, isConsume: boolean): Meaning {
  const body: JsonRecord = isRecord(json) ? json : {};
  if (body['AcsRes'] === '1') {
    const granted = status === 200 && usesInNote(body['Note']) !== undefined;
    if (!granted) return 'strange';
    return isConsume ? 'consumed' : 'validated';
  }
  if (body['AcsRes'] === '0') return NOTE_MEANINGS.get(body['Note']) ?? 'denied';
  return status >= 400 ? 'denied' : 'strange';
}

function heartbeatMeaning({ status, json }: Answer): Meaning {
  if (isRecord(json) && json['AcsRes'] === '0') return 'denied';
  if (status >= 400) return 'denied';
  return status === 200 && isRecord(json) && 'Key' in json ? 'alive' : 'strange';
}

/** The numbers that a grant or an `exhausted` of REST shows. */
export function countsIn(answer: Answer): { used?: number; allowed?: number } {
  const body: JsonRecord = isRecord(answer.json) ? answer.json : {};
  const note = usesInNote(body['Note']);
  if (note) return note;
  const { usesConsumed, usesAllowed } = body;
  return {
    ...(typeof usesConsumed === 'number' ? { used: usesConsumed } : {}),
    ...(typeof usesAllowed === 'number' ? { allowed: usesAllowed } : {}),
  };
}
