import { usesInNote } from '../facts/device-answer.ts';
import { type Answer, type Endpoint, isRest, type RestEndpoint } from '../facts/exchange.ts';
import { isRecord, type JsonRecord } from '../facts/json.ts';
import { type Outcome, type Reading, read } from '../facts/reading.ts';
import { type RightForm, rightForm } from './form.ts';

/** What own software is told about a ticket. */
const RESULTS: readonly Outcome[] = [
  ...(['granted', 'exhausted', 'not_found', 'invalid_ticket', 'ticket_cancelled'] as const),
  ...(['not_yet_valid', 'expired', 'event_not_allowed', 'missing_ticket_code'] as const),
];

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
  const tells = (outcome: Outcome) => isTold(rightForm(endpoint, outcome), status, body);
  if (status === 401) return tells('unauthorised') ? 'unauthorised' : 'denied';
  return RESULTS.find(tells) ?? (status >= 400 && body['valid'] !== true ? 'denied' : 'strange');
}

function isTold(form: RightForm | undefined, status: number, body: JsonRecord): boolean {
  if (!form || (form.status ?? status) !== status) return false;
  return Object.entries(form.fields).every(([name, value]) => body[name] === value);
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
