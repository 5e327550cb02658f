import { counterEqualsLog, fileIsSound } from './counters.ts';
import { distinctCounts } from './counts.ts';
import type { StoreFacts } from './facts.ts';
import { quotaHeld, rateHeld } from './limits.ts';
import { realTimeOrder } from './order.ts';
import type { Check, Problem } from './problem.ts';
import type { History } from './record.ts';
import { changesAreStored, refusedWithCause, revokedIsRefused } from './revocation.ts';
import { acknowledgedIsStored, nothingElseChanged } from './stored.ts';
import { insideTheWindow } from './window.ts';

const CHECKS: readonly Check[] = [
  fileIsSound,
  distinctCounts,
  realTimeOrder,
  acknowledgedIsStored,
  changesAreStored,
  counterEqualsLog,
  nothingElseChanged,
  revokedIsRefused,
  refusedWithCause,
  insideTheWindow,
  rateHeld,
  quotaHeld,
];

/** Holds what clients were told against what the store holds. Empty when every promise was kept. */
export function checkHistory(history: History, facts: StoreFacts): Problem[] {
  return CHECKS.flatMap((check) => check(history, facts));
}
