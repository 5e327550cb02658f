import type { Ticket } from '../../../core/ticket.ts';
import { usesIn } from '../../../core/undo.ts';
import type { VerifyReport } from '../store.ts';
import {
  countsOtherUses,
  homelessTickets,
  numberedOtherwise,
  usedTooOften,
} from '../verify-words.ts';
import { isBeingDeleted } from './memory-audit-log.ts';
import { countProblems } from './memory-counts.ts';
import type { MemoryState } from './memory-state.ts';

/** What the log says of one ticket: by how much each entry moved the counter, and where to. */
type Moves = { readonly change: number; readonly counter: number }[];

/** Proves that counters equal the log and that no ticket is over its uses. */
export function verifyMemory(state: MemoryState): VerifyReport {
  const { tickets, importedUses, log } = state;
  const moves = new Map<string, Moves>();
  for (const entry of log) {
    const { ticketId, usesConsumed } = entry;
    const change = usesIn(entry);
    if (change === 0 || ticketId === null) continue;
    const move = { change, counter: usesConsumed ?? 0 };
    const known = moves.get(ticketId);
    if (known) known.push(move);
    else moves.set(ticketId, [move]);
  }
  const problems = [...tickets.values()].flatMap((ticket) => {
    return problemOf(ticket, moves.get(ticket.id) ?? [], importedUses.get(ticket.id) ?? 0) ?? [];
  });
  for (const ticketId of moves.keys()) {
    if (!tickets.has(ticketId))
      problems.push(`The log holds uses of ${ticketId}, which does not exist.`);
  }
  problems.push(...ticketProblems(state), ...countProblems(state));
  return { tickets: tickets.size, scans: log.length, problems };
}

function ticketProblems(state: MemoryState): string[] {
  const homeless = new Map<string, string[]>();
  for (const { id, eventId } of state.tickets.values()) {
    if (!state.events.has(eventId) && !isBeingDeleted(state, eventId))
      homeless.set(eventId, [...(homeless.get(eventId) ?? []), id]);
  }
  return [...homeless].map(([eventId, ids]) => {
    return homelessTickets(eventId, ids.length, ids[0] ?? '');
  });
}

function problemOf(
  { id, usesConsumed, usesAllowed }: Ticket,
  moves: Moves,
  earlier: number,
): string | undefined {
  if (usesConsumed > usesAllowed) {
    return usedTooOften(id, usesConsumed, usesAllowed);
  }
  const logged = moves.reduce((sum, { change }) => sum + change, 0);
  if (usesConsumed !== earlier + logged) {
    return countsOtherUses(id, usesConsumed, logged, earlier);
  }
  let counter = earlier;
  const inOrder = moves.every((move) => {
    counter += move.change;
    return move.counter === counter;
  });
  return inOrder ? undefined : numberedOtherwise(id, earlier + 1, usesConsumed);
}
