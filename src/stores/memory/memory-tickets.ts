import type { Ticket } from '../../core/ticket.ts';
import type { TicketFilter, TicketPage, TicketSearch } from '../store.ts';

/** Tickets that pass the filter, in the order of creation. */
export function listTickets(all: Iterable<Ticket>, filter: TicketFilter): Ticket[] {
  return after(all, filter.afterId)
    .filter((ticket) => matches(ticket, filter))
    .slice(0, filter.limit);
}

export function searchTickets(all: Iterable<Ticket>, search: TicketSearch): TicketPage {
  const { eventIds, afterId, searchMax, limit } = search;
  const rest = after(all, afterId);
  const events = new Set(eventIds);
  const looked = rest.slice(0, searchMax);
  const tickets = looked
    .filter((ticket) => events.has(ticket.eventId) && matches(ticket, search))
    .slice(0, limit);
  const last = tickets.length === limit ? tickets.at(-1) : looked.at(-1);
  const next = last !== undefined && last.id !== rest.at(-1)?.id ? last.id : null;
  return { tickets, next };
}

function after(all: Iterable<Ticket>, id: string | undefined): Ticket[] {
  const tickets = [...all];
  return id === undefined
    ? tickets
    : tickets.slice(tickets.findIndex((ticket) => ticket.id === id) + 1);
}

function matches(
  ticket: Ticket,
  { eventId, state, search }: Pick<TicketFilter, 'eventId' | 'state' | 'search'>,
): boolean {
  if (eventId !== undefined && ticket.eventId !== eventId) return false;
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
