import type { Ticket } from '../../../core/ticket.ts';
import type { TicketFilter, TicketPage, TicketSearch } from '../store.ts';
import { cursorOf, placeOf } from '../ticket-cursor.ts';

/** Tickets that pass the filter, in the order of creation. */
export function listTickets(all: Iterable<Ticket>, filter: TicketFilter): Ticket[] {
  const tickets = [...all];
  return tickets
    .slice(countUpTo(tickets, filter.afterId))
    .filter((ticket) => matches(ticket, filter))
    .slice(0, filter.limit);
}

export function searchTickets(all: Iterable<Ticket>, search: TicketSearch): TicketPage {
  const { eventIds, afterId, searchMax, limit } = search;
  const every = [...all];
  const start = countUpTo(every, afterId);
  const events = new Set(eventIds);
  const looked = every.slice(start, start + searchMax);
  const tickets = looked
    .filter((ticket) => events.has(ticket.eventId) && matches(ticket, search))
    .slice(0, limit);
  const end =
    tickets.length === limit ? countUpTo(every, tickets.at(-1)?.id) : start + looked.length;
  return { tickets, next: end < every.length ? cursorOf(end) : null };
}

/** How many tickets there are up to that one; 0 for one that is not there. */
function countUpTo(tickets: readonly Ticket[], id: string | undefined): number {
  if (id === undefined) return 0;
  return placeOf(id) ?? tickets.findIndex((ticket) => ticket.id === id) + 1;
}

function matches(
  ticket: Ticket,
  { eventId, state, search, batch }: Pick<TicketFilter, 'eventId' | 'state' | 'search' | 'batch'>,
): boolean {
  if (eventId !== undefined && ticket.eventId !== eventId) return false;
  if (batch !== undefined && ticket.batch !== batch) return false;
  if (state !== undefined && !isInState(ticket, state)) return false;
  if (!search) return true;
  const { firstName = '', lastName = '' } = ticket.holder ?? {};
  const text = `${ticket.id} ${firstName} ${lastName}`.toLowerCase();
  return text.includes(search.toLowerCase());
}

function isInState(ticket: Ticket, state: NonNullable<TicketFilter['state']>): boolean {
  if (state === 'cancelled') return ticket.cancelledAt !== null;
  const used = ticket.usesConsumed >= ticket.usesAllowed;
  return state === 'used' ? used : !used && ticket.cancelledAt === null;
}
