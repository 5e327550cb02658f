import { type KnownDeviation, withBaseline } from './baseline.ts';
import { findingsFrom } from './findings.ts';
import { type CaseResult, type CheckResult, totalsOf, verdictOf } from './result.ts';

/** What a check says of a server, a device or a client, once every case is judged. */
type Conclusion = Pick<CheckResult, 'verdict' | 'totals' | 'findings' | 'stale' | 'cases'>;

/**
 * Concludes from the cases of a check.
 * @param known the deviations that its baseline lists
 * @param net ids of the cases that compare every answer
 */
export function conclusionOf(
  results: readonly CaseResult[],
  known: readonly KnownDeviation[],
  net?: ReadonlySet<string>,
): Conclusion {
  const { cases, stale } = withBaseline(results, known);
  return {
    verdict: verdictOf(cases),
    totals: totalsOf(cases),
    findings: findingsFrom(cases, net),
    stale,
    cases,
  };
}
