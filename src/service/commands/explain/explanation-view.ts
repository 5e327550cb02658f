import { sanitizeForTerminal } from '../../../kit/safe-text.ts';
import type { Explanation, StepResult } from '../../explain/explanation.ts';

const MARKS: Readonly<Record<StepResult, string>> = {
  passed: 'ok  ',
  stopped: 'STOP',
  not_asked: '?   ',
  not_reached: '-   ',
};

/** One line for each step that was reached, and how many were not. */
export function explanationLines({ steps }: Explanation): string[] {
  const reached = steps.filter(({ result }) => result !== 'not_reached');
  const width = Math.max(...steps.map(({ rule }) => rule.length));
  const lines = reached.map(({ rule, result, because }) => {
    return `${MARKS[result]}  ${rule.padEnd(width)}  ${sanitizeForTerminal(because)}`;
  });
  const rest = steps.length - reached.length;
  return rest === 0 ? lines : [...lines, `      ${rest} later rules were not reached.`];
}

/** The answer in a few words, for example `GRANTED: consumed` or `DENIED: rejected (expired)`. */
export function verdictText({ answer, reason, granted }: Explanation): string {
  const why = reason === null ? '' : ` (${reason})`;
  return `${granted ? 'GRANTED' : 'DENIED'}: ${answer}${why}`;
}
