import type { Check, Problem } from './problem.ts';
import { groupBy, type Use, usesOf } from './uses.ts';

/** Acknowledged counts of a ticket are distinct and within its uses; a repeated request got its first answer. */
export const distinctCounts: Check = (history, { tickets }) => {
  const problems: Problem[] = [];
  for (const [ticket, uses] of groupBy(usesOf(history), (use) => use.ticket)) {
    const allowed = tickets.get(ticket)?.usesAllowed ?? 0;
    const texts = [...uses.flatMap((use) => faultsOf(use, allowed)), ...sharedCounts(uses)];
    problems.push(
      ...texts.map((text) => ({ rule: 'distinct-counts', text: `${ticket}: ${text}` }) as const),
    );
  }
  return problems;
};

function faultsOf({ acknowledged }: Use, allowed: number): string[] {
  const counts = countsOf({ acknowledged });
  const texts = counts
    .filter((count) => !(count >= 1 && count <= allowed))
    .map((count) => `use ${count} of ${allowed} was acknowledged`);
  if (counts.length > 1)
    texts.push(`one retried request was answered with ${counts.join(' and ')}`);
  const other = acknowledged.find(({ usesAllowed }) => usesAllowed !== allowed);
  if (other)
    texts.push(`answer ${other.id} allows ${other.usesAllowed} uses, the store ${allowed}`);
  return texts;
}

function sharedCounts(uses: readonly Use[]): string[] {
  const taken = new Set<number>();
  return uses.flatMap(countsOf).flatMap((count) => {
    const shared = taken.has(count);
    taken.add(count);
    return shared ? [`use ${count} was acknowledged to two requests`] : [];
  });
}

function countsOf({ acknowledged }: Pick<Use, 'acknowledged'>): number[] {
  return [...new Set(acknowledged.map((one) => one.usesConsumed ?? Number.NaN))];
}
