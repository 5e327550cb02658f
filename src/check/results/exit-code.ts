import { type CheckResult, isOpen } from './result.ts';

export const FAIL_ON = ['warned', 'skipped', 'observed', 'unanswered'] as const;
/** What may fail a run besides a deviation from a stated requirement. */
export type FailOn = (typeof FAIL_ON)[number];

/**
 * 0 when nothing failed; 1 when something did, when a baseline entry is stale, or when something of `failOn` is there;
 * 2 when the address or the target file is wrong; 3 when the server stopped answering, or left cases unanswered; 4 when
 * the checker caught itself in a fault of its own.
 */
export function exitCodeOf(result: CheckResult, failOn: readonly FailOn[] = []): 0 | 1 | 2 | 3 | 4 {
  const { totals } = result;
  if (result.preflight !== undefined) return 2;
  if (result.brokenOff !== undefined) return 3;
  const found: Record<FailOn, boolean> = {
    warned: totals.warned > 0,
    skipped: result.cases.some(isOpen),
    observed: totals.observed > 0,
    unanswered: totals.unanswered > 0,
  };
  if (totals.failed > 0 || result.stale.length > 0 || failOn.some((one) => found[one])) return 1;
  if ((result.ownFaults ?? []).length > 0) return 4;
  return totals.unanswered > 0 ? 3 : 0;
}
