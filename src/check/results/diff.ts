import { isRecord } from '../facts/json.ts';
import { CheckUsageError } from '../target/target.ts';

/** What changed between two results: the cases by what became of them, with `@` where only an endpoint changed. */
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
  const failsOn = (report: Outcomes, id: string) => report.get(id)?.failedEndpoints ?? [];
  // reports of earlier versions name no endpoints
  const hasEndpoints = (report: Outcomes, id: string) => failsOn(report, id).length > 0;
  const isFailed = (report: Outcomes, id: string) => report.get(id)?.outcome === 'failed';
  const isBroken = (id: string) => isFailed(now, id) && !isFailed(old, id);
  const isMended = (id: string) => isFailed(old, id) && now.get(id)?.outcome === 'passed';
  // a case that failed before and fails still may have failed on other endpoints
  const still = both.filter(
    (id) =>
      isFailed(old, id) && isFailed(now, id) && hasEndpoints(old, id) && hasEndpoints(now, id),
  );
  const only = (one: Outcomes, other: Outcomes) =>
    still.flatMap((id) =>
      failsOn(one, id)
        .filter((endpoint) => !failsOn(other, id).includes(endpoint))
        .map((endpoint) => `${id}@${endpoint}`),
    );
  return {
    broken: [...both.filter(isBroken), ...only(now, old)],
    mended: [...both.filter(isMended), ...only(old, now)],
    changed: both
      .filter((id) => !isBroken(id) && !isMended(id))
      .filter((id) => old.get(id)?.outcome !== now.get(id)?.outcome)
      .map((id) => `${id}: ${old.get(id)?.outcome} → ${now.get(id)?.outcome}`),
    added: [...now.keys()].filter((id) => !old.has(id)),
    removed: [...old.keys()].filter((id) => !now.has(id)),
  };
}

type Outcomes = ReadonlyMap<string, { outcome: string; failedEndpoints: readonly string[] }>;

function outcomesOf(report: unknown, which: string): Outcomes {
  const cases = isRecord(report) ? report['cases'] : undefined;
  if (!Array.isArray(cases)) {
    throw new CheckUsageError(
      `The ${which} file is not a JSON report of check (--report json=FILE writes one).`,
    );
  }
  return new Map(
    cases.filter(isRecord).map((one) => {
      const { failedEndpoints } = one;
      const places = Array.isArray(failedEndpoints) ? failedEndpoints.map(String) : [];
      return [String(one['id']), { outcome: String(one['outcome']), failedEndpoints: places }];
    }),
  );
}
