import { stateOf } from '../../../core/decision.ts';
import { searchWords } from '../../../core/folded-text.ts';
import type { Holder, Ticket } from '../../../core/ticket.ts';
import type { TicketFilter, TicketPage, TicketSearch } from '../record-store.ts';
import { cursorOf, foldedName, placeOf } from '../ticket-row.ts';
import type { MemoryState } from './memory-state.ts';

function goingEvents({ documents }: MemoryState): ReadonlySet<string> {
  const deletions = [...documents.values()].filter(({ kind }) => kind === 'deletion');
  return new Set(deletions.map(({ id }) => id));
}

/** Tickets that pass the filter, in the order of creation. */
export function listTickets(state: MemoryState, filter: TicketFilter): Ticket[] {
  const tickets = [...state.tickets.values()];
  const going = goingEvents(state);
  const words = searchWords(filter.search ?? '');
  return tickets
    .slice(countUpTo(tickets, filter.afterId))
    .filter((ticket) => !going.has(ticket.eventId) && matches(ticket, filter, words))
    .slice(0, filter.limit);
}

export function searchTickets(state: MemoryState, search: TicketSearch): TicketPage {
  const { eventIds, afterId, searchMax, limit } = search;
  const every = [...state.tickets.values()];
  const start = countUpTo(every, afterId);
  const words = searchWords(search.search ?? '');
  const going = goingEvents(state);
  const events = new Set(eventIds.filter((id) => !going.has(id)));
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
  if (state && stateOf(ticket, state.now) !== state.is) return false;
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
