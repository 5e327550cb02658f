import { isUse, type LogFact, type TicketFact } from './facts.ts';
import type { Check, Problem } from './problem.ts';

/** The counter of each ticket is what its log says: uses numbered one after another, within what it allows. */
export const counterEqualsLog: Check = (_history, { tickets, log }) => {
  const uses = Map.groupBy(log.filter(isUse), ({ ticket }) => ticket);
  const problems: Problem[] = [];
  const complain = (text: string) => problems.push({ rule: 'counter-equals-log', text });
  for (const [ticket, fact] of tickets) {
    const text = faultOf(fact, uses.get(ticket) ?? []);
    if (text) complain(`${ticket}: ${text}`);
  }
  for (const ticket of uses.keys()) {
    if (!tickets.has(ticket)) complain(`${ticket}: has uses in the log, but does not exist`);
  }
  for (const [index, entry] of log.entries()) {
    if (index > 0 && entry.sequence <= (log[index - 1]?.sequence ?? 0))
      complain(`log entry ${entry.sequence} stands twice`);
  }
  return problems;
};

function faultOf(ticket: TicketFact, uses: readonly LogFact[]): string | undefined {
  const { usesConsumed, usesBrought, usesAllowed } = ticket;
  if (usesConsumed > usesAllowed) return `${usesConsumed} uses of ${usesAllowed}`;
  if (usesConsumed !== usesBrought + uses.length) {
    return `counter ${usesConsumed}, log ${uses.length}, brought ${usesBrought}`;
  }
  for (const [index, { usesConsumed: number, at, sequence }] of uses.entries()) {
    if (number !== usesBrought + index + 1)
      return `log entry ${sequence} is use ${number}, expected ${usesBrought + index + 1}`;
    if (at < (uses[index - 1]?.at ?? 0)) return `log entry ${sequence} runs backwards in time`;
  }
  return undefined;
}

export const fileIsSound: Check = (_history, { damage }) =>
  damage.map((text) => ({ rule: 'file-is-sound', text }));
