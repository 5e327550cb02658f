import { isRecord } from './facts/json.ts';
import { CheckUsageError } from './target.ts';

/** What changed between two results: the cases by what became of them. */
export interface Difference {
  readonly broken: readonly string[];
  readonly mended: readonly string[];
  /** Other changes, as `4.2/…: skipped → passed`. */
  readonly changed: readonly string[];
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/**
 * Compares two JSON reports of `check`.
 * @throws CheckUsageError when one of them is no report
 */
export function differenceOf(before: unknown, after: unknown): Difference {
  const old = outcomesOf(before, 'first');
  const now = outcomesOf(after, 'second');
  const both = [...now.keys()].filter((id) => old.has(id));
  const broken = both.filter((id) => now.get(id) === 'failed' && old.get(id) !== 'failed');
  const mended = both.filter((id) => old.get(id) === 'failed' && now.get(id) === 'passed');
  const told = new Set([...broken, ...mended]);
  const changed = both
    .filter((id) => old.get(id) !== now.get(id) && !told.has(id))
    .map((id) => `${id}: ${old.get(id)} → ${now.get(id)}`);
  return {
    broken,
    mended,
    changed,
    added: [...now.keys()].filter((id) => !old.has(id)),
    removed: [...old.keys()].filter((id) => !now.has(id)),
  };
}

function outcomesOf(report: unknown, which: string): Map<string, string> {
  const cases = isRecord(report) ? report['cases'] : undefined;
  if (!Array.isArray(cases)) {
    throw new CheckUsageError(
      `The ${which} file is no JSON report of check (made with --report json=FILE).`,
    );
  }
  return new Map(cases.filter(isRecord).map((one) => [String(one['id']), String(one['outcome'])]));
}
