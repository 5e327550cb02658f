import { type Case, cellsOf } from '../cases/case.ts';
import { CheckUsageError } from '../deployment/target.ts';
import { ENDPOINTS, type Endpoint, readEndpoint } from '../facts/exchange.ts';
import { isRecord } from '../facts/json.ts';
import { type CaseResult, isDeviation } from './result.ts';

/** Where a case deviates, as far as the case distinguishes it. */
interface Place {
  readonly endpoint?: Endpoint | undefined;
  readonly variant?: string | undefined;
}

/** A known deviation: of a case, or of it on one endpoint or in one variant. */
export interface KnownDeviation extends Place {
  /** As it was written: `7.1/bad-body{empty}@consume`. */
  readonly text: string;
  readonly id: string;
  /** Where it has to be asked before the entry can be stale. */
  readonly endpoints: readonly Endpoint[];
  readonly reason: string;
}

const ENTRY = /^(?<id>[^{@]+)(?:\{(?<variant>.*)\})?(?:@(?<path>[^@}]*))?$/s;

/**
 * Reads known deviations: `["4.2/…"]`, `{"4.2/…{card}@hw/consume": "why"}`, or an earlier report, of which the places
 * count that deviated in it.
 * @throws CheckUsageError when it is none of these or names a case, a variant or an endpoint that does not exist
 */
export function knownDeviations(
  value: unknown,
  cases: readonly Case<never>[],
): readonly KnownDeviation[] {
  return entriesOf(value).map(([text, reason]) => {
    const { id, variant, path } = ENTRY.exec(text)?.groups ?? {};
    const one = cases.find((known) => known.id === id);
    if (!one)
      throw new CheckUsageError(
        `The baseline names the unknown case "${text}". Remove it, or look up its id: ticketscan check --list`,
      );
    const entry = { text, id: one.id, variant, endpoint: endpointIn(text, path), reason };
    const asked = cellsOf(one).filter((cell) => variant === undefined || cell.variant === variant);
    if (asked.length === 0)
      throw new CheckUsageError(`The baseline names "${text}", a variant that does not exist.`);
    const endpoints = entry.endpoint ?? asked.flatMap((cell) => cell.endpoint ?? []);
    return { ...entry, endpoints: [...new Set([endpoints].flat())] };
  });
}

function endpointIn(text: string, path: string | undefined): Endpoint | undefined {
  const endpoint = path === undefined ? undefined : readEndpoint(path);
  if (path === undefined || endpoint !== undefined) return endpoint;
  throw new CheckUsageError(
    `The baseline names "${text}", but "${path}" is not an endpoint: use one of ${ENDPOINTS.join(', ')}.`,
  );
}

function entriesOf(value: unknown): [string, string][] {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.every((id) => typeof id === 'string'))
    return value.map((id) => [id, '']);
  if (isRecord(value) && Array.isArray(value['cases']))
    return (value['cases'] as CaseResult[]).filter(isDeviation).flatMap((one) => {
      const places = new Set(placesOf(one).map((place) => nameOf(one.id, place)));
      return [...places].map((name): [string, string] => [name, '']);
    });
  if (isRecord(value))
    return Object.entries(value)
      .filter(([name]) => !name.startsWith('//'))
      .map(([id, reason]) => [id, String(reason)]);
  throw new CheckUsageError(
    'A baseline must be a list of case ids, an object of ids and reasons, or an earlier JSON report.',
  );
}

function nameOf(id: string, { endpoint, variant }: Place): string {
  const what = variant === undefined ? id : `${id}{${variant}}`;
  return endpoint === undefined ? what : `${what}@${endpoint}`;
}

function placesOf({ deviations, failedEndpoints = [], failedVariants = [] }: CaseResult): Place[] {
  const places =
    deviations ??
    (failedVariants.length > 0 ? failedVariants : [undefined]).map(
      (variant): Place => ({ variant }),
    );
  return places.flatMap(({ endpoint, variant }) => {
    if (endpoint !== undefined || failedEndpoints.length === 0) return [{ endpoint, variant }];
    return failedEndpoints.map((one) => ({ endpoint: one, variant }));
  });
}

/** Marks the deviations that are known, and finds the known ones that the deployment keeps by now. */
export function withBaseline(
  cases: readonly CaseResult[],
  known: readonly KnownDeviation[],
): { cases: CaseResult[]; stale: string[] } {
  const byId = new Map(cases.map((one) => [one.id, one]));
  return {
    cases: cases.map((one) =>
      marked(
        one,
        known.filter(({ id }) => id === one.id),
      ),
    ),
    stale: known.filter((entry) => isStale(entry, byId.get(entry.id))).map(({ text }) => text),
  };
}

/** A case is known when each place where it deviates is. */
function marked(one: CaseResult, known: readonly KnownDeviation[]): CaseResult {
  if (!isDeviation(one)) return one;
  const entries = placesOf(one).map((place) => known.find((entry) => covers(entry, place)));
  if (!entries.every((entry) => entry !== undefined)) return one;
  const reasons = new Set(entries.map(({ reason }) => reason).filter(Boolean));
  return { ...one, known: true, reason: [...reasons].join('; ') || null };
}

function covers(entry: Place, place: Place): boolean {
  return (
    (entry.endpoint === undefined || entry.endpoint === place.endpoint) &&
    (entry.variant === undefined || entry.variant === place.variant)
  );
}

/** True for an entry whose case was asked everywhere that the entry names, and kept there. */
function isStale(entry: KnownDeviation, one: CaseResult | undefined): boolean {
  if (!one || ['skipped', 'unanswered', 'follows'].includes(one.outcome)) return false;
  if (entry.variant !== undefined && !one.variants.includes(entry.variant)) return false;
  const isOpen = one.notAsked.some(
    ({ endpoint, variant }) =>
      (endpoint === undefined || entry.endpoints.includes(endpoint)) &&
      (variant === undefined || entry.variant === undefined || entry.variant === variant),
  );
  if (isOpen || !entry.endpoints.every((place) => one.endpoints.includes(place))) return false;
  return !isDeviation(one) || !placesOf(one).some((place) => covers(entry, place));
}
