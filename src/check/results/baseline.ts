import { type CheckCase, cellsOf } from '../cases/case.ts';
import { isRecord } from '../facts/json.ts';
import { ENDPOINTS, type Endpoint, readEndpoint } from '../requests/endpoint.ts';
import { CheckUsageError } from '../target/target.ts';
import type { CaseResult } from './result.ts';

/** A known deviation: of a case, or of a case on one endpoint. */
interface Known {
  readonly id: string;
  readonly endpoint?: Endpoint;
  /** Where it has to be asked and kept before the entry is stale. */
  readonly places: readonly Endpoint[];
  readonly reason: string;
}

/**
 * Reads known deviations: `["4.2/…"]`, `{"4.2/…@hw/consume": "why"}`, or an earlier result, whose failed cases count
 * on the endpoints that failed in it.
 * @throws CheckUsageError when it is none of these or names a case or endpoint that does not exist
 */
export function knownDeviations(value: unknown, cases: readonly CheckCase[]): readonly Known[] {
  return entriesOf(value).map(([text, reason]) => {
    const [id = '', place] = text.split('@');
    const known = cases.find((one) => one.id === id);
    if (!known) throw new CheckUsageError(`The baseline names the unknown case "${text}".`);
    if (place === undefined) return { id, places: placesOf(known), reason };
    const endpoint = readEndpoint(place);
    if (endpoint) return { id, endpoint, places: [endpoint], reason };
    throw new CheckUsageError(
      `The baseline names "${text}", but "${place}" is not an endpoint: use one of ${ENDPOINTS.join(', ')}.`,
    );
  });
}

function placesOf(one: CheckCase): Endpoint[] {
  return cellsOf(one)
    .map(({ endpoint }) => endpoint)
    .filter((endpoint) => endpoint !== undefined);
}

function entriesOf(value: unknown): [string, string][] {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.every((id) => typeof id === 'string')) {
    return value.map((id) => [id, '']);
  }
  if (isRecord(value) && Array.isArray(value['cases'])) {
    const cases = value['cases'].filter(isRecord).filter((one) => one['outcome'] === 'failed');
    return cases.flatMap(({ id, failedEndpoints }): [string, string][] =>
      Array.isArray(failedEndpoints) && failedEndpoints.length > 0
        ? failedEndpoints.map((endpoint) => [`${id}@${endpoint}`, ''])
        : [[String(id), '']],
    );
  }
  if (isRecord(value)) {
    const entries = Object.entries(value).filter(([name]) => !name.startsWith('//'));
    return entries.map(([id, reason]) => [id, String(reason)]);
  }
  throw new CheckUsageError(
    'A baseline must be a list of case ids, an object of ids and reasons, or an earlier JSON report.',
  );
}

/** Marks the failures that are known, and finds the known ones that the deployment keeps by now. */
export function withBaseline(
  cases: readonly CaseResult[],
  known: readonly Known[],
): { cases: CaseResult[]; stale: string[] } {
  const byId = new Map(cases.map((one) => [one.id, one]));
  return {
    cases: cases.map((one) =>
      marked(
        one,
        known.filter(({ id }) => id === one.id),
      ),
    ),
    stale: known.filter((entry) => isStale(entry, byId.get(entry.id))).map(nameOf),
  };
}

/** A case is known when each endpoint that failed is. */
function marked(one: CaseResult, known: readonly Known[]): CaseResult {
  if (one.outcome !== 'failed' || known.length === 0) return one;
  const whole = known.find(({ endpoint }) => endpoint === undefined);
  const covered = one.failedEndpoints.every((failed) =>
    known.some(({ endpoint }) => endpoint === failed),
  );
  if (!whole && (!covered || one.failedEndpoints.length === 0)) return one;
  const reasons = (whole ? [whole] : known).map(({ reason }) => reason).filter(Boolean);
  return { ...one, known: true as const, reason: [...new Set(reasons)].join('; ') || null };
}

/** True for an entry whose case was asked on all endpoints of the entry, and kept on them. */
function isStale({ endpoint, places }: Known, one: CaseResult | undefined): boolean {
  if (!one || one.outcome === 'skipped') return false;
  const isOpen = one.notAsked.some((open) => !open.endpoint || places.includes(open.endpoint));
  if (isOpen || !places.every((place) => one.endpoints.includes(place))) return false;
  return endpoint === undefined
    ? !isMissed(one)
    : !(isMissed(one) && one.failedEndpoints.includes(endpoint));
}

/** A requirement of a lower level is missed with a warning. */
function isMissed({ outcome }: CaseResult): boolean {
  return outcome === 'failed' || outcome === 'warned';
}

function nameOf({ id, endpoint }: Known): string {
  return endpoint === undefined ? id : `${id}@${endpoint}`;
}
