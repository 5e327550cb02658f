import { counterEqualsLog, fileIsSound } from './counters.ts';
import type { StoreFacts } from './facts.ts';
import { keysHaveAPath } from './key-path.ts';
import { quotaHeld, rateHeld } from './limits.ts';
import type { Check, Problem } from './problem.ts';
import type { History } from './record.ts';
import { ticketsHaveAPath } from './ticket-path.ts';

const CHECKS: readonly Check[] = [
  fileIsSound,
  ticketsHaveAPath,
  keysHaveAPath,
  counterEqualsLog,
  rateHeld,
  quotaHeld,
];

/**
 * Holds what clients were told against what the store holds. Empty when every promise was kept: then the model (prove/model)
 * has a path that explains every answer.
 *
 * @throws Error when there is nothing to judge: a record without an answer proves nothing
 */
export function checkHistory(history: History, facts: StoreFacts): Problem[] {
  if (!history.operations.some(({ outcome }) => outcome !== 'unknown'))
    throw new Error('The record has no answer, so there is nothing to judge.');
  return CHECKS.flatMap((check) => check(history, facts));
}
