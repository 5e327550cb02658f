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
 */
export function checkHistory(history: History, facts: StoreFacts): Problem[] {
  return CHECKS.flatMap((check) => check(history, facts));
}

/**
 * The same for a record of a whole run.
 * @param answersMin a shorter record proves nothing: clients or the recorder failed
 * @throws Error when it has fewer answers
 */
export function judgeRecord(history: History, facts: StoreFacts, answersMin = 1): Problem[] {
  const answers = history.operations.filter(({ outcome }) => outcome !== 'unknown').length;
  if (answers < answersMin)
    throw new Error(
      `The record has ${answers} answers, at least ${answersMin} are needed to judge.`,
    );
  return checkHistory(history, facts);
}
