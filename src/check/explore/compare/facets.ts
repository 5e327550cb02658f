import type { Level } from '../../cases/level.ts';
import { isRecord, type JsonRecord, show } from '../../facts/json.ts';
import { isDevice } from '../histories/history.ts';
import { countsIn, type Meaning, meaningOf } from '../model/meaning.ts';
import type { Observation } from '../run/observation.ts';

/** One thing about an answer in which two servers may differ. */
export interface Facet {
  readonly level: Level;
  /** As `usesConsumed` or `message`. */
  readonly name: string;
  readonly value: string;
}

/** Headers that say something about the answer, and not about the way it came. */
const HEADERS = ['content-type', 'allow', 'retry-after', 'cache-control'];
/** Fields whose values belong to the deployment: only whether they are there is compared. */
const OWN_VALUES = ['ticketId', 'holder', 'scannedAt', 'validFrom', 'validUntil'];

/**
 * What an answer shows that can be compared with another server's answer to the same request.
 * @param counts false where the two tickets had different uses from the start
 */
export function facetsOf(observation: Observation, counts: boolean): Facet[] {
  const { answer, step } = observation;
  const meaning = meaningOf(observation);
  if (!answer) return [];
  const body: JsonRecord = isRecord(answer.json) ? answer.json : {};
  return [
    ...(counts ? countFacets(observation, meaning) : []),
    facet('observed', 'fields', Object.keys(body).toSorted().join(', ')),
    ...(isDevice(step.action) ? deviceFacets(body, answer.status) : restFacets(body, meaning)),
    ...(meaning === 'invalid_ticket' || meaning === 'denied'
      ? [facet('unstated', 'HTTP status', String(answer.status))]
      : []),
    ...HEADERS.map((name) => facet('unstated', name, answer.headers[name] ?? 'none')),
  ];
}

function facet(level: Level, name: string, value: string): Facet {
  return { level, name, value };
}

function countFacets({ answer }: Observation, meaning: Meaning): Facet[] {
  if (!answer || !['validated', 'consumed', 'exhausted'].includes(meaning)) return [];
  const { used, allowed } = countsIn(answer);
  return [
    facet('stated', 'usesConsumed', show(used)),
    facet('stated', 'usesAllowed', show(allowed)),
  ];
}

function restFacets(body: JsonRecord, meaning: Meaning): Facet[] {
  const granted = meaning === 'validated' || meaning === 'consumed';
  const own = granted ? OWN_VALUES.map((name) => facet('stated', name, presence(body[name]))) : [];
  const type = granted ? [facet('stated', 'ticketType', show(body['ticketType']))] : [];
  return [...own, ...type, facet('unstated', 'message', show(body['message']))];
}

function presence(value: unknown): string {
  if (value === undefined) return 'absent';
  return value === null ? 'null' : 'present';
}

function deviceFacets(body: JsonRecord, status: number): Facet[] {
  return [
    facet('unstated', 'HTTP status', String(status)),
    ...['ActIndex', 'Time'].map((name) => facet('unstated', name, show(body[name]))),
    ...(body['AcsRes'] === '0' ? [facet('unstated', 'Note', show(body['Note']))] : []),
  ];
}
