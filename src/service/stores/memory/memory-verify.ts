import type { Ticket } from '../../../core/ticket.ts';
import type { VerifyReport } from '../store.ts';
import { countsOtherUses, numberedOtherwise, usedTooOften } from '../verify-words.ts';
import { countProblems } from './memory-counts.ts';
import type { MemoryState } from './memory-state.ts';

/** Proves that counters equal the log and that no ticket is over its uses. */
export function verifyMemory(state: MemoryState): VerifyReport {
  const { tickets, importedUses, log } = state;
  const uses = new Map<string, number[]>();
  for (const { status, replayed, ticketId, usesConsumed } of log) {
    if (status !== 'consumed' || replayed || ticketId === null) continue;
    const numbers = uses.get(ticketId);
    if (numbers) numbers.push(usesConsumed ?? 0);
    else uses.set(ticketId, [usesConsumed ?? 0]);
  }
  const problems = [...tickets.values()].flatMap((ticket) => {
    return problemOf(ticket, uses.get(ticket.id) ?? [], importedUses.get(ticket.id) ?? 0) ?? [];
  });
  for (const ticketId of uses.keys()) {
    if (!tickets.has(ticketId))
      problems.push(`The log holds uses of ${ticketId}, which does not exist.`);
  }
  problems.push(...countProblems(state));
  return { tickets: tickets.size, scans: log.length, problems };
}

function problemOf(
  { id, usesConsumed, usesAllowed }: Ticket,
  numbers: number[],
  earlier: number,
): string | undefined {
  if (usesConsumed > usesAllowed) {
    return usedTooOften(id, usesConsumed, usesAllowed);
  }
  if (usesConsumed !== earlier + numbers.length) {
    return countsOtherUses(id, usesConsumed, numbers.length, earlier);
  }
  return numbers.every((number, index) => number === earlier + index + 1)
    ? undefined
    : numberedOtherwise(id, earlier + 1, usesConsumed);
}
