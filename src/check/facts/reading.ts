import { DENIAL_NOTES, usesInNote } from './device-answer.ts';
import type { Answer } from './exchange.ts';
import { isRecord } from './json.ts';

/** What an answer says, whichever endpoint gave it: the only list of outcomes of the checker. */
export type Outcome =
  | 'granted'
  | 'exhausted'
  | 'invalid_ticket'
  | 'event_not_allowed'
  | 'not_found'
  | 'ticket_cancelled'
  | 'not_yet_valid'
  | 'expired'
  | 'missing_ticket_code'
  /** A refused key. */
  | 'unauthorised'
  /** A confirmed heartbeat. */
  | 'confirmed'
  | 'limited'
  /** A 5xx, or the Note of an internal error. */
  | 'error'
  /** Refused for a reason that the answer does not name. */
  | 'denied'
  /** Nothing that the specification knows. */
  | 'strange';

/** An answer as the checker understands it. */
export interface Reading {
  readonly outcome: Outcome;
  /** The uses that it shows, in its own format. */
  readonly used?: number;
  readonly allowed?: number;
}

const BY_NOTE = new Map<unknown, Outcome>([
  [DENIAL_NOTES.exhausted, 'exhausted'],
  [DENIAL_NOTES.expired, 'expired'],
  [DENIAL_NOTES.forged, 'invalid_ticket'],
  [DENIAL_NOTES.unknown, 'not_found'],
  [DENIAL_NOTES.notYetValid, 'not_yet_valid'],
  [DENIAL_NOTES.outOfScope, 'event_not_allowed'],
  ['Serverfehler', 'error'],
]);
const REASONS: readonly unknown[] = [
  ...['invalid_ticket', 'event_not_allowed', 'ticket_cancelled', 'not_yet_valid', 'expired'],
  'missing_ticket_code',
];

/**
 * Reads an answer (sections 2.3, 2.4, 7), in whichever of the formats it is. A wrong type or status is not judged here: `"valid": "true"`
 * is read as a grant.
 */
export function read(answer: Answer): Reading {
  const body = isRecord(answer.json) ? answer.json : {};
  const { usesConsumed, usesAllowed } = body;
  const shown = usesInNote(body['Note']);
  const used = shown?.used ?? (typeof usesConsumed === 'number' ? usesConsumed : undefined);
  const allowed = shown?.allowed ?? (typeof usesAllowed === 'number' ? usesAllowed : undefined);
  return {
    outcome: outcomeOf(answer, body),
    ...(used === undefined ? {} : { used }),
    ...(allowed === undefined ? {} : { allowed }),
  };
}

function outcomeOf({ status }: Answer, body: Readonly<Record<string, unknown>>): Outcome {
  const isGranted = String(body['valid']) === 'true' || String(body['AcsRes']) === '1';
  if (isGranted) return 'granted';
  if (status === 429) return 'limited';
  if (status >= 500) return 'error';
  if ('AcsRes' in body) return deviceOutcome(status, body);
  if (status === 401) return 'unauthorised';
  return restOutcome(status, body);
}

function restOutcome(status: number, body: Readonly<Record<string, unknown>>): Outcome {
  const { status: result, reason } = body;
  if (result === 'exhausted' || result === 'not_found') return result;
  if (REASONS.includes(reason)) return reason as Outcome;
  if ('Key' in body && status < 400) return 'confirmed';
  if (result === 'validated' || result === 'consumed') return 'granted';
  return status >= 400 || 'valid' in body ? 'denied' : 'strange';
}

function deviceOutcome(
  status: number,
  { AcsRes, Note }: Readonly<Record<string, unknown>>,
): Outcome {
  // the door goes by AcsRes, whatever the display says
  if (usesInNote(Note) && AcsRes !== '0') return 'granted';
  if (status === 401) return 'unauthorised';
  return BY_NOTE.get(Note) ?? 'denied';
}
