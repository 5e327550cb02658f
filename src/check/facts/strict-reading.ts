import { usesInNote } from './device-answer.ts';
import { type Answer, type Endpoint, isRest, type RestEndpoint } from './exchange.ts';
import { isRecord, type JsonRecord } from './json.ts';
import { type Outcome, type Reading, read } from './reading.ts';

/** Section 7.2: the status that goes with a reason; the others go with 200, an invalid signature with any below 500. */
const STATUS_OF_REASON: Readonly<Record<string, number>> = {
  missing_ticket_code: 400,
  event_not_allowed: 403,
  ticket_cancelled: 200,
  not_yet_valid: 200,
  expired: 200,
};

/**
 * Reads an answer as one of its endpoint (sections 2.3, 2.4, 7), for whoever has no other look at its form: a grant has the status, the word
 * and the text of this endpoint, and a reason comes with its status. Everything else is `denied` or `strange`.
 */
export function readStrictly(endpoint: Endpoint, answer: Answer): Reading {
  return { ...read(answer), outcome: outcomeOf(endpoint, answer) };
}

function outcomeOf(endpoint: Endpoint, answer: Answer): Outcome {
  const { status, json } = answer;
  if (status === 429) return 'limited';
  if (status >= 500) return 'error';
  const body: JsonRecord = isRecord(json) ? json : {};
  if (endpoint === 'heartbeat') return heartbeatOutcome(status, body);
  if (isRest(endpoint)) return restOutcome(endpoint, status, body);
  return deviceOutcome(answer, body);
}

function restOutcome(endpoint: RestEndpoint, status: number, body: JsonRecord): Outcome {
  if (status === 401) return body['message'] === 'Forbidden' ? 'unauthorised' : 'denied';
  const outcome = resultOutcome(endpoint, status, body);
  if (outcome) return outcome;
  return status >= 400 && body['valid'] !== true ? 'denied' : 'strange';
}

function resultOutcome(
  endpoint: RestEndpoint,
  status: number,
  body: JsonRecord,
): Outcome | undefined {
  const { status: result, valid } = body;
  const granted = endpoint === 'consume' ? 'consumed' : 'validated';
  if (status === 200 && valid === true && result === granted) return 'granted';
  if (valid !== false) return undefined;
  if (status === 200 && result === 'exhausted') return 'exhausted';
  if (status === 404 && result === 'not_found') return 'not_found';
  return result === 'rejected' ? rejection(status, body['reason']) : undefined;
}

function rejection(status: number, reason: unknown): Outcome | undefined {
  if (reason === 'invalid_ticket') return 'invalid_ticket';
  return STATUS_OF_REASON[String(reason)] === status ? (reason as Outcome) : undefined;
}

function deviceOutcome(answer: Answer, body: JsonRecord): Outcome {
  const { status } = answer;
  if (body['AcsRes'] === '1') {
    const isGranted = status === 200 && usesInNote(body['Note']) !== undefined;
    return isGranted ? 'granted' : 'strange';
  }
  if (body['AcsRes'] !== '0') return status >= 400 ? 'denied' : 'strange';
  // section 7.3 shows no status of a denial
  const { outcome } = read({ ...answer, status: 200 });
  return outcome === 'granted' ? 'strange' : outcome;
}

function heartbeatOutcome(status: number, body: JsonRecord): Outcome {
  if (body['AcsRes'] === '0' || status >= 400) return 'denied';
  return status === 200 && 'Key' in body ? 'confirmed' : 'strange';
}
