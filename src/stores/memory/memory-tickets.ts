import type { NewAuditLogEntry } from '../../core/administrative-records.ts';
import { stateOf } from '../../core/decision.ts';
import { isFound, type SearchTerms, searchTerms } from '../../core/folded-text.ts';
import type { LogEntry } from '../../core/records.ts';
import type { Holder, NewTicket, Ticket, TicketHistory } from '../../core/ticket.ts';
import type { TicketEdits } from '../../core/ticket-changes.ts';
import { editedTicket, LINK_KINDS, linksOf, replacementOf } from '../../core/ticket-changes.ts';
import { eventOfTicketId } from '../../core/ticket-id.ts';
import { type UndoRequest, undoable, undoneEntry } from '../../core/undo.ts';
import {
  auditEntryOfEdit,
  auditEntryOfInsert,
  auditEntryWithCount,
  isAnswerOfUse,
} from '../record-rules.ts';
import type {
  Change,
  InsertOptions,
  TicketFilter,
  TicketPage,
  TicketSearch,
} from '../record-store.ts';
import { misnamedTicket, notFound } from '../store-errors.ts';
import { cursorOf, foldedName, ordinalIn } from '../ticket-row.ts';
import { checkChange, writeChecked } from './memory-records.ts';
import { documentName, isBeingDeleted, type MemoryState, writeAuditEntry } from './memory-state.ts';

const NO_OWNERS: Change = { audit: [] };

type IncomingTicket = NewTicket & Partial<TicketHistory>;

export function insertTickets(
  state: MemoryState,
  tickets: readonly IncomingTicket[],
  auditEntry: NewAuditLogEntry,
  options: InsertOptions = { existing: 'refuse' },
): number {
  const { owners = NO_OWNERS } = options;
  checkChange(state, owners);
  const fresh = freshOf(state, tickets, owners);
  const made = auditEntryOfInsert(auditEntry, tickets, [...fresh.values()], options);
  writeChecked(state, owners);
  const unused = { usesConsumed: 0, lastConsumedAt: null, cancelledAt: null };
  for (const ticket of fresh.values()) {
    const { usesConsumed = 0 } = ticket;
    state.tickets.set(ticket.id, { ...unused, ...ticket });
    if (usesConsumed > 0) state.importedUses.set(ticket.id, usesConsumed);
  }
  writeAuditEntry(state, made);
  return tickets.length - fresh.size;
}

/** Undefined also when its event is being deleted. */
export function findTicket(state: MemoryState, ticketId: string): Ticket | undefined {
  const ticket = state.tickets.get(ticketId);
  return ticket && !isBeingDeleted(state, ticket.eventId) ? ticket : undefined;
}

function knownTicket(state: MemoryState, ticketId: string): Ticket {
  const ticket = findTicket(state, ticketId);
  if (!ticket) throw notFound('ticket', ticketId);
  return ticket;
}

export function findTickets(state: MemoryState, ticketIds: readonly string[]): Ticket[] {
  return [...new Set(ticketIds)].flatMap((id) => findTicket(state, id) ?? []);
}

export function countTickets(state: MemoryState, eventId?: string): number {
  if (eventId === undefined) return state.tickets.size;
  return [...state.tickets.values()].filter((ticket) => ticket.eventId === eventId).length;
}

export function countTicketsOf(
  state: MemoryState,
  eventIds: readonly string[],
): Record<string, number> {
  const counts = new Map(eventIds.filter((id) => state.events.has(id)).map((id) => [id, 0]));
  for (const { eventId } of state.tickets.values()) {
    const before = counts.get(eventId);
    if (before !== undefined) counts.set(eventId, before + 1);
  }
  return Object.fromEntries(counts);
}

export function cancelTickets(
  state: MemoryState,
  ticketIds: readonly string[],
  at: number | null,
  auditEntry: NewAuditLogEntry,
): number {
  const found = [...new Set(ticketIds)].map((id) => knownTicket(state, id));
  const others = found.filter(
    ({ id, cancelledAt }) =>
      (cancelledAt === null) !== (at === null) &&
      !state.documents.has(documentName('replaced-ticket', id)),
  );
  for (const ticket of others) state.tickets.set(ticket.id, { ...ticket, cancelledAt: at });
  writeAuditEntry(state, auditEntryWithCount(auditEntry, others.length));
  return others.length;
}

export function editTicket(
  state: MemoryState,
  ticketId: string,
  edits: TicketEdits,
  auditEntry: NewAuditLogEntry,
): Ticket {
  const before = knownTicket(state, ticketId);
  const after = editedTicket(before, edits);
  state.tickets.set(ticketId, after);
  writeAuditEntry(state, auditEntryOfEdit(auditEntry, before, after));
  return after;
}

export function replaceTicket(
  state: MemoryState,
  ticketId: string,
  newId: string,
  auditEntry: NewAuditLogEntry,
): Ticket {
  const before = knownTicket(state, ticketId);
  const { at } = auditEntry;
  const made = replacementOf(before, newId, at);
  const owners = { documents: linksOf(ticketId, newId), audit: [] };
  insertTickets(state, [made], auditEntry, { existing: 'refuse', owners });
  state.tickets.set(ticketId, { ...before, cancelledAt: at });
  return made;
}

export function deleteTickets(
  state: MemoryState,
  ticketIds: readonly string[],
  afterSequence: number,
  auditEntry: NewAuditLogEntry,
): string[] {
  const { log, tickets, importedUses } = state;
  const later = log.slice(log.findLastIndex(({ sequence }) => sequence <= afterSequence) + 1);
  const logged = new Set(later.map(({ ticketId }) => ticketId));
  const deleted = [...new Set(ticketIds)].filter((id) => {
    const isUnused = findTicket(state, id)?.usesConsumed === 0 && !importedUses.has(id);
    return isUnused && !logged.has(id) && !isLinked(state, id);
  });
  for (const id of deleted) tickets.delete(id);
  writeAuditEntry(state, auditEntryWithCount(auditEntry, deleted.length));
  return deleted;
}

function isLinked({ documents }: MemoryState, ticketId: string): boolean {
  return LINK_KINDS.some((kind) => documents.has(documentName(kind, ticketId)));
}

/** Those that the store does not have, by id; of an id that comes twice, the first. */
function freshOf(
  state: MemoryState,
  tickets: readonly IncomingTicket[],
  { records = [] }: Change,
): Map<string, IncomingTicket> {
  const created = new Set(records.map(({ after }) => after?.id));
  const fresh = new Map<string, IncomingTicket>();
  for (const ticket of tickets) {
    const { id, eventId } = ticket;
    const isKnown = state.events.has(eventId) || created.has(eventId);
    if (!isKnown) throw notFound('event', eventId);
    if (eventOfTicketId(id) !== eventId) throw misnamedTicket(id, eventId);
    if (!state.tickets.has(id) && !fresh.has(id)) fresh.set(id, ticket);
  }
  return fresh;
}

/** Tickets that pass the filter, in the order of creation. */
export function listTickets(state: MemoryState, filter: TicketFilter): Ticket[] {
  const tickets = [...state.tickets.values()];
  const terms = searchTerms(filter.search ?? '');
  return tickets
    .slice(countUpTo(tickets, filter.afterId))
    .filter((ticket) => !isBeingDeleted(state, ticket.eventId) && matches(ticket, filter, terms))
    .slice(0, filter.limit);
}

export function searchTickets(state: MemoryState, search: TicketSearch): TicketPage {
  const { eventIds, afterId, searchMax, limit, newestFirst = false } = search;
  const every = [...state.tickets.values()];
  const terms = searchTerms(search.search ?? '');
  const events = new Set(eventIds.filter((id) => !isBeingDeleted(state, id)));
  const looked = newestFirst
    ? olderThan(every, afterId, searchMax)
    : every.slice(countUpTo(every, afterId)).slice(0, searchMax);
  const tickets = looked
    .filter((ticket) => events.has(ticket.eventId) && matches(ticket, search, terms))
    .slice(0, limit);
  const last = tickets.length === limit ? tickets.at(-1) : looked.at(-1);
  const end = countUpTo(every, last?.id);
  const behind = newestFirst ? every.length - end + 1 : end;
  if (!last || behind >= every.length) return { tickets, next: null, searched: 1 };
  return { tickets, next: cursorOf(end), searched: Math.min(0.999, behind / every.length) };
}

/** The newest first. */
function olderThan(every: readonly Ticket[], id: string | undefined, limit: number): Ticket[] {
  const end = id === undefined ? every.length : Math.max(0, countUpTo(every, id) - 1);
  return every.slice(Math.max(0, end - limit), end).reverse();
}

/** How many tickets there are up to that one; 0 for one that is not there. */
function countUpTo(tickets: readonly Ticket[], id: string | undefined): number {
  if (id === undefined) return 0;
  return ordinalIn(id) ?? tickets.findIndex((ticket) => ticket.id === id) + 1;
}

function matches(
  ticket: Ticket,
  { eventId, state, batch }: Pick<TicketFilter, 'eventId' | 'state' | 'batch'>,
  terms: SearchTerms,
): boolean {
  if (eventId !== undefined && ticket.eventId !== eventId) return false;
  if (batch !== undefined && ticket.batch !== batch) return false;
  if (state && stateOf(ticket, state.now) !== state.is) return false;
  return isFound(terms, ticket.id, foldedNameOf(ticket));
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

/** A guest who did not pass is no longer counted as inside; not after a reset of the count, nor where nobody counts. */
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

/** Described in `Store`. Refuses before it changes anything. */
export function undoUse(
  state: MemoryState,
  request: UndoRequest,
  auditEntry: NewAuditLogEntry,
): LogEntry {
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
  state.change(['scan', undone]);
  state.addCount(state.countedAs(undone), 1, 0);
  writeAuditEntry(state, auditEntry);
  return undone;
}
