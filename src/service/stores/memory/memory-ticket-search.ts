import { searchWords } from '../../../core/folded-text.ts';
import type { Holder, Ticket } from '../../../core/ticket.ts';
import type { TicketFilter, TicketPage, TicketSearch } from '../record-store.ts';
import { cursorOf, placeOf } from '../ticket-cursor.ts';
import { foldedName } from '../ticket-row.ts';

/** Tickets that pass the filter, in the order of creation. */
export function listTickets(all: Iterable<Ticket>, filter: TicketFilter): Ticket[] {
  const tickets = [...all];
  const words = searchWords(filter.search ?? '');
  return tickets
    .slice(countUpTo(tickets, filter.afterId))
    .filter((ticket) => matches(ticket, filter, words))
    .slice(0, filter.limit);
}

export function searchTickets(all: Iterable<Ticket>, search: TicketSearch): TicketPage {
  const { eventIds, afterId, searchMax, limit } = search;
  const every = [...all];
  const start = countUpTo(every, afterId);
  const words = searchWords(search.search ?? '');
  const events = new Set(eventIds);
  const looked = every.slice(start, start + searchMax);
  const tickets = looked
    .filter((ticket) => events.has(ticket.eventId) && matches(ticket, search, words))
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
  { eventId, state, batch }: Pick<TicketFilter, 'eventId' | 'state' | 'batch'>,
  words: readonly string[],
): boolean {
  if (eventId !== undefined && ticket.eventId !== eventId) return false;
  if (batch !== undefined && ticket.batch !== batch) return false;
  if (state !== undefined && !isInState(ticket, state)) return false;
  return words.every((word) => ticket.id.includes(word) || foldedNameOf(ticket).includes(word));
}

/** Folding takes longer than comparing: what was folded once is kept as long as the ticket has this holder. */
const FOLDED = new WeakMap<Holder, string>();

function foldedNameOf({ holder }: Ticket): string {
  if (holder === null) return '';
  const known = FOLDED.get(holder);
  if (known !== undefined) return known;
  const folded = foldedName(holder) ?? '';
  FOLDED.set(holder, folded);
  return folded;
}

function isInState(ticket: Ticket, state: NonNullable<TicketFilter['state']>): boolean {
  if (state === 'cancelled') return ticket.cancelledAt !== null;
  const used = ticket.usesConsumed >= ticket.usesAllowed;
  return state === 'used' ? used : !used && ticket.cancelledAt === null;
}
