import { usesInNote } from '../facts/device-answer.ts';
import { isRecord, type JsonRecord } from '../facts/json.ts';
import * as facts from '../facts/reading.ts';
import { type Answer, type Endpoint, isConsume, isRest } from '../requests/exchange.ts';

/**
 * What an answer says at its endpoint: read more strictly than elsewhere, because nothing else judges the answers of a history. A grant is one
 * of this endpoint, and a reason comes with its status; other answers are `denied` or `strange`, and none is `lost`.
 */
export type Outcome = Exclude<facts.Outcome, 'granted'> | 'validated' | 'consumed' | 'lost';

/** An answer as the explorer understands it, with the numbers that it shows. */
export interface Reading extends Pick<facts.Reading, 'used' | 'allowed'> {
  readonly outcome: Outcome;
}

/** Section 7.2: the status that goes with a reason; the others go with 200, an invalid signature with any below 500. */
const STATUS_OF_REASON: Readonly<Record<string, number>> = {
  missing_ticket_code: 400,
  event_not_allowed: 403,
  ticket_cancelled: 200,
  not_yet_valid: 200,
  expired: 200,
};

/** Reads an answer (sections 2.3, 2.4, 7). */
export function read(endpoint: Endpoint, answer: Answer | undefined): Reading {
  if (!answer) return { outcome: 'lost' };
  return { ...facts.read(answer), outcome: outcomeOf(endpoint, answer) };
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
  if (status >= 500) return 'error';
  const body: JsonRecord = isRecord(json) ? json : {};
  if (endpoint === 'heartbeat') return heartbeatOutcome(status, body);
  if (isRest(endpoint)) return restOutcome(status, body);
  return deviceOutcome(answer, body, isConsume(endpoint));
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

function deviceOutcome(answer: Answer, body: JsonRecord, consumes: boolean): Outcome {
  const { status } = answer;
  if (body['AcsRes'] === '1') {
    const isGranted = status === 200 && usesInNote(body['Note']) !== undefined;
    if (!isGranted) return 'strange';
    return consumes ? 'consumed' : 'validated';
  }
  if (body['AcsRes'] !== '0') return status >= 400 ? 'denied' : 'strange';
  // section 7.3 shows no status of a denial
  const { outcome } = facts.read({ ...answer, status: 200 });
  return outcome === 'granted' ? 'strange' : outcome;
}

function heartbeatOutcome(status: number, body: JsonRecord): Outcome {
  if (body['AcsRes'] === '0' || status >= 400) return 'denied';
  return status === 200 && 'Key' in body ? 'confirmed' : 'strange';
}
