import { type CheckResult, isOpen } from './result.ts';

/**
 * 0 when nothing failed; 1 when something did, when a baseline entry is stale, or when something was not asked and the
 * run had to be complete; 3 when the server stopped answering; 4 when the checker caught itself in a fault of its own.
 */
export function exitCodeOf(result: CheckResult, requireComplete = false): 0 | 1 | 3 | 4 {
  if (result.brokenOff !== undefined) return 3;
  if (result.totals.failed > 0 || result.stale.length > 0) return 1;
  if ((result.ownFaults ?? []).length > 0) return 4;
  return requireComplete && result.cases.some(isOpen) ? 1 : 0;
}
