import type { LogEntry } from '../../../core/records.ts';
import { eventOfTicketId } from '../../../core/ticket-id.ts';
import { type UndoRequest, undoable, undoneEntry } from '../../../core/undo.ts';
import { isAnswerOfUse } from '../record-rules.ts';
import { notFound } from '../store-errors.ts';
import type { MemoryState } from './memory-state.ts';

/** Who did not pass is on the other side, unless the count began anew since, or there is none. */
function takeBackPassage(
  state: MemoryState,
  { ticketId, at, direction }: LogEntry & { readonly ticketId: string },
): void {
  const counted = state.occupancy.get(eventOfTicketId(ticketId) ?? '');
  if (!counted || (counted.resetAt ?? at) > at) return;
  const { entered, exited } = counted;
  const less = direction === 'out' ? { exited: exited - 1 } : { entered: entered - 1 };
  state.occupancy.set(counted.eventId, { ...counted, ...less });
}

/** Takes back a use; refuses before it changes anything. @throws TicketscanError as `Store.undoUse` does */
export function undoUse(state: MemoryState, request: UndoRequest): LogEntry {
  const found = state.log.find(({ sequence }) => sequence === request.sequence);
  const entry = undoable(found, request.sequence, state.undoneBy(request.sequence));
  const eventId = eventOfTicketId(entry.ticketId) ?? '';
  if (!state.events.has(eventId)) throw notFound('event', eventId);
  const ticket = state.tickets.get(entry.ticketId);
  if (!ticket) throw notFound('ticket', entry.ticketId);
  const usesConsumed = ticket.usesConsumed - 1;
  state.tickets.set(ticket.id, { ...ticket, usesConsumed });
  for (const [name, { decision }] of state.answers) {
    const isOfKey = name.startsWith(`${entry.keyId} `);
    if (isOfKey && isAnswerOfUse(decision, entry)) state.answers.delete(name);
  }
  takeBackPassage(state, entry);
  const sequence = state.newest + 1;
  const undone = { ...undoneEntry(entry, request, usesConsumed), sequence };
  state.append(undone);
  state.addCount(state.sortOf(undone), 1, 0);
  return undone;
}
