import { isUse, type StoreFacts } from './facts.ts';
import type { Check, Problem } from './problem.ts';
import type { History } from './record.ts';
import { groupBy, usesOf } from './uses.ts';

/** A count that was seen at some moment between start and end. */
interface Sight {
  readonly ticket: string;
  readonly start: number;
  readonly end: number;
  readonly count: number;
  /** A use is above everything seen before it; a look is not below it. */
  readonly isUse: boolean;
}

/**
 * Real time is respected: whatever began after an answer was there counts on from it, and nobody saw a use before it
 * was asked for.
 */
export const realTimeOrder: Check = (history, facts) => {
  const uses = groupBy(usesOf(history), (use) => use.ticket);
  const before = countsBefore(history.startSequence, facts);
  const problems: Problem[] = [];
  for (const [ticket, sights] of groupBy(sightsIn(history), (sight) => sight.ticket)) {
    const starts = (uses.get(ticket) ?? []).map((use) => use.start).sort((a, b) => a - b);
    problems.push(...tooLow(sights), ...tooHigh(sights, starts, before.get(ticket) ?? 0));
  }
  return problems;
};

function sightsIn(history: History): Sight[] {
  const sights: Sight[] = usesOf(history).flatMap(({ ticket, start, end, acknowledged }) => {
    const count = acknowledged[0]?.usesConsumed;
    return count === undefined ? [] : [{ ticket, start, end, count, isUse: true }];
  });
  for (const { action, ticket, start, end, usesConsumed, outcome } of history.operations) {
    if (ticket === undefined || usesConsumed === undefined || outcome === 'unknown') continue;
    if (action === 'consume' && outcome === 'ok') continue;
    sights.push({ ticket, start, end, count: usesConsumed, isUse: false });
  }
  return sights;
}

function tooLow(sights: readonly Sight[]): Problem[] {
  const byStart = [...sights].sort((a, b) => a.start - b.start);
  const byEnd = [...sights].sort((a, b) => a.end - b.end);
  const problems: Problem[] = [];
  let floor = 0;
  let ended = 0;
  for (const { ticket, start, count, isUse: use } of byStart) {
    for (let next = byEnd[ended]; next && next.end < start; next = byEnd[ended]) {
      floor = Math.max(floor, next.count);
      ended += 1;
    }
    if (use ? count > floor : count >= floor) continue;
    const what = use ? 'use' : 'look at use';
    problems.push({
      rule: 'real-time-order',
      text: `${ticket}: ${what} ${count} began at ${start} after use ${floor} had been answered`,
    });
  }
  return problems;
}

function tooHigh(
  sights: readonly Sight[],
  useStarts: readonly number[],
  before: number,
): Problem[] {
  const problems: Problem[] = [];
  let asked = 0;
  for (const { ticket, end, count } of [...sights].sort((a, b) => a.end - b.end)) {
    while ((useStarts[asked] ?? Number.POSITIVE_INFINITY) < end) asked += 1;
    if (count <= before + asked) continue;
    problems.push({
      rule: 'real-time-order',
      text: `${ticket}: ${count} uses were told at ${end}, but only ${before + asked} had been asked for`,
    });
  }
  return problems;
}

/** The counter of each ticket before the run. */
function countsBefore(startSequence: number, { tickets, log }: StoreFacts): Map<string, number> {
  const counts = new Map([...tickets].map(([ticket, { usesBrought }]) => [ticket, usesBrought]));
  for (const entry of log) {
    if (entry.sequence <= startSequence && isUse(entry))
      counts.set(entry.ticket, entry.usesConsumed);
  }
  return counts;
}
