import type { Check, Problem } from './problem.ts';
import { groupBy, usesOf } from './uses.ts';

/** Acknowledged counts of a ticket are distinct and within its uses; a repeated request got its first answer. */
export const distinctCounts: Check = (history, { tickets }) => {
  const problems: Problem[] = [];
  const complain = (text: string) => problems.push({ rule: 'distinct-counts', text });
  for (const [ticket, uses] of groupBy(usesOf(history), (use) => use.ticket)) {
    const allowed = tickets.get(ticket)?.usesAllowed ?? 0;
    const taken = new Set<number>();
    for (const { acknowledged } of uses) {
      const counts = new Set(acknowledged.map((one) => one.usesConsumed ?? Number.NaN));
      if (counts.size > 1)
        complain(`${ticket}: one retried request was answered with ${[...counts].join(' and ')}`);
      for (const count of counts) {
        if (taken.has(count)) complain(`${ticket}: use ${count} was acknowledged to two requests`);
        if (!(count >= 1 && count <= allowed))
          complain(`${ticket}: use ${count} of ${allowed} was acknowledged`);
        taken.add(count);
      }
      for (const { usesAllowed, id } of acknowledged) {
        if (usesAllowed !== allowed)
          complain(`${ticket}: answer ${id} allows ${usesAllowed} uses, the store ${allowed}`);
      }
    }
  }
  return problems;
};
