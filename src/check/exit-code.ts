import type { CheckResult } from './result.ts';

/**
 * 0 when nothing failed; 1 when something did, when a baseline entry is stale, or when something was skipped and the run
 * had to be complete; 3 when the server stopped answering.
 */
export function exitCodeOf(result: CheckResult, requireComplete = false): 0 | 1 | 3 {
  if (result.brokenOff !== undefined) return 3;
  if (result.totals.failed > 0 || result.stale.length > 0) return 1;
  return requireComplete && result.totals.skipped > 0 ? 1 : 0;
}
