import type { CheckCase } from './case.ts';
import { isRecord } from './facts/json.ts';
import type { CaseResult } from './result.ts';
import { CheckUsageError } from './target.ts';

/**
 * Reads known deviations: `["4.2/…"]`, `{"4.2/…": "why"}`, or an earlier result, whose failed cases count.
 * @throws CheckUsageError when it is none of these or names a case that does not exist
 */
export function knownDeviations(
  value: unknown,
  cases: readonly CheckCase[],
): ReadonlyMap<string, string> {
  const known = new Map(entriesOf(value));
  for (const id of known.keys()) {
    if (cases.some((one) => one.id === id)) continue;
    throw new CheckUsageError(`The baseline names "${id}", and no case is called that.`);
  }
  return known;
}

function entriesOf(value: unknown): [string, string][] {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.every((id) => typeof id === 'string')) {
    return value.map((id) => [id, '']);
  }
  if (isRecord(value) && Array.isArray(value['cases'])) {
    const cases = value['cases'].filter(isRecord).filter((one) => one['outcome'] === 'failed');
    return cases.map((one) => [String(one['id']), '']);
  }
  if (isRecord(value)) {
    const entries = Object.entries(value).filter(([name]) => !name.startsWith('//'));
    return entries.map(([id, reason]) => [id, String(reason)]);
  }
  throw new CheckUsageError(
    'A baseline is a list of case ids, an object of ids and reasons, or an earlier JSON report.',
  );
}

/** Marks the failures that are known, and finds the known ones that the deployment keeps by now. */
export function withBaseline(
  cases: readonly CaseResult[],
  known: ReadonlyMap<string, string>,
): { cases: CaseResult[]; stale: string[] } {
  const marked = cases.map((one) =>
    one.outcome === 'failed' && known.has(one.id)
      ? { ...one, known: true as const, reason: known.get(one.id) || null }
      : one,
  );
  const stale = cases.filter((one) => known.has(one.id) && isKept(one)).map(({ id }) => id);
  return { cases: marked, stale };
}

function isKept({ outcome }: CaseResult): boolean {
  return outcome === 'passed' || outcome === 'observed' || outcome === 'warned';
}
