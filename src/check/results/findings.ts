import { type CaseResult, type Finding, isDeviation } from './result.ts';

/**
 * The deviations that no other one explains: the failed before the warned, the dangerous first, then those that explain most.
 * @param net ids of the cases that compare every answer: they follow from whatever failed, so that they do not count
 */
export function findingsFrom(
  cases: readonly CaseResult[],
  net: ReadonlySet<string> = new Set(),
): Finding[] {
  const findings = cases.flatMap((one) => findingOf(one, cases) ?? []);
  const rank = ({ outcome, isDangerous }: Finding) =>
    (outcome === 'failed' ? 0 : 2) + (isDangerous ? 0 : 1);
  const explained = ({ followers }: Finding) => followers.filter((id) => !net.has(id)).length;
  return findings.toSorted((a, b) => rank(a) - rank(b) || explained(b) - explained(a));
}

function findingOf(one: CaseResult, cases: readonly CaseResult[]): Finding | undefined {
  if (!isDeviation(one)) return undefined;
  const { outcome, known, reason, isDangerous } = one;
  return {
    id: one.id,
    section: one.section,
    level: one.level,
    outcome,
    endpoints: one.failedEndpoints,
    variants: one.failedVariants,
    requirement: one.requirement,
    expected: one.expected,
    observed: one.observed,
    cause: one.cause,
    reproduce: one.reproduce,
    evidence: one.evidence,
    followers: cases
      .filter(
        ({ outcome, followsFrom = [] }) => outcome === 'follows' && followsFrom.includes(one.id),
      )
      .map(({ id }) => id),
    ...(isDangerous ? { isDangerous } : {}),
    ...(known ? { known } : {}),
    ...(known && reason !== null ? { reason } : {}),
  };
}
