import type { NewAuditLogEntry } from '../../../core/administrative-records.ts';
import type { LogEntry, NewEventRecord } from '../../../core/records.ts';
import type { NewTicket, Ticket, TicketHistory } from '../../../core/ticket.ts';
import { editedTicket, type TicketEdits } from '../../../core/ticket-edit.ts';
import { eventOfTicketId } from '../../../core/ticket-id.ts';
import type { UndoRequest } from '../../../core/undo.ts';
import { auditEntryOfEdit, auditEntryOfInsert, auditEntryWithCount } from '../inserted-tickets.ts';
import type {
  InsertOptions,
  NewOwners,
  TicketFilter,
  TicketPage,
  TicketSearch,
} from '../record-store.ts';
import { beingDeleted, misnamedTicket, notFound } from '../store-errors.ts';
import { appendAuditEntry, isBeingDeleted } from './memory-audit-log.ts';
import { eraseHolders } from './memory-erase-holders.ts';
import { MemoryKeys } from './memory-keys.ts';
import { listTickets, searchTickets } from './memory-ticket-search.ts';
import { undoUse } from './memory-undo.ts';

type IncomingTicket = NewTicket & Partial<TicketHistory>;

/** What people change: organisations, events, keys and tickets. */
export class MemoryTickets extends MemoryKeys {
  async insertTickets(
    tickets: readonly IncomingTicket[],
    auditEntry: NewAuditLogEntry,
    options: InsertOptions = { existing: 'refuse' },
  ): Promise<number> {
    const fresh = this.#freshOf(tickets, options.owners);
    const made = auditEntryOfInsert(auditEntry, tickets, [...fresh.values()], options);
    if (options.owners) this.#createOwners(options.owners);
    const unused = { usesConsumed: 0, lastConsumedAt: null, cancelledAt: null };
    for (const ticket of fresh.values()) {
      const { usesConsumed = 0 } = ticket;
      this.state.tickets.set(ticket.id, { ...unused, ...ticket });
      if (usesConsumed > 0) this.state.importedUses.set(ticket.id, usesConsumed);
    }
    appendAuditEntry(this.state, made);
    return tickets.length - fresh.size;
  }

  async findTicket(ticketId: string): Promise<Ticket | undefined> {
    return this.#ticketOf(ticketId);
  }

  async findTickets(ticketIds: readonly string[]): Promise<Ticket[]> {
    return this.#ticketsOf(ticketIds);
  }

  async listTickets(filter: TicketFilter): Promise<Ticket[]> {
    return listTickets(this.state, filter);
  }

  async searchTickets(search: TicketSearch): Promise<TicketPage> {
    return searchTickets(this.state, search);
  }

  async countTickets(eventId?: string): Promise<number> {
    if (eventId === undefined) return this.state.tickets.size;
    return [...this.state.tickets.values()].filter((ticket) => ticket.eventId === eventId).length;
  }

  async cancelTickets(
    ticketIds: readonly string[],
    at: number | null,
    auditEntry: NewAuditLogEntry,
  ): Promise<number> {
    const { tickets } = this.state;
    const unknown = ticketIds.find((id) => !this.#ticketOf(id));
    if (unknown !== undefined) throw notFound('ticket', unknown);
    // No pause between reading and writing: a scan in it would lose its use.
    const others = this.#ticketsOf(ticketIds).filter(
      ({ cancelledAt }) => (cancelledAt === null) !== (at === null),
    );
    for (const ticket of others) tickets.set(ticket.id, { ...ticket, cancelledAt: at });
    appendAuditEntry(this.state, auditEntryWithCount(auditEntry, others.length));
    return others.length;
  }

  async eraseHolders(ticketIds: readonly string[], auditEntry: NewAuditLogEntry): Promise<number> {
    const count = eraseHolders(this.state, ticketIds);
    appendAuditEntry(this.state, auditEntryWithCount(auditEntry, count));
    return count;
  }

  async editTicket(
    ticketId: string,
    edits: TicketEdits,
    auditEntry: NewAuditLogEntry,
  ): Promise<Ticket> {
    const before = this.#ticketOf(ticketId);
    if (!before) throw notFound('ticket', ticketId);
    const after = editedTicket(before, edits);
    this.state.tickets.set(ticketId, after);
    appendAuditEntry(this.state, auditEntryOfEdit(auditEntry, before, after));
    return after;
  }

  async deleteTickets(
    ticketIds: readonly string[],
    afterSequence: number,
    auditEntry: NewAuditLogEntry,
  ): Promise<string[]> {
    const { log, tickets, importedUses } = this.state;
    const later = log.slice(log.findLastIndex(({ sequence }) => sequence <= afterSequence) + 1);
    const logged = new Set(later.map(({ ticketId }) => ticketId));
    const deleted = [...new Set(ticketIds)].filter((id) => {
      return this.#ticketOf(id)?.usesConsumed === 0 && !importedUses.has(id) && !logged.has(id);
    });
    for (const id of deleted) tickets.delete(id);
    appendAuditEntry(this.state, auditEntryWithCount(auditEntry, deleted.length));
    return deleted;
  }

  async undoUse(request: UndoRequest, auditEntry: NewAuditLogEntry): Promise<LogEntry> {
    const undone = undoUse(this.state, request);
    appendAuditEntry(this.state, auditEntry);
    return undone;
  }

  #ticketsOf(ticketIds: readonly string[]): Ticket[] {
    return [...new Set(ticketIds)].flatMap((id) => this.#ticketOf(id) ?? []);
  }

  /** Undefined also when its event is being deleted. */
  #ticketOf(ticketId: string): Ticket | undefined {
    const ticket = this.state.tickets.get(ticketId);
    return ticket && !isBeingDeleted(this.state, ticket.eventId) ? ticket : undefined;
  }

  /** Those that the store does not have, by id; of an id that comes twice, the first. */
  #freshOf(tickets: readonly IncomingTicket[], owners?: NewOwners): Map<string, IncomingTicket> {
    const created = new Set(owners?.events.map(({ record }) => record.id));
    for (const { record } of owners?.events ?? []) this.#refuseOwner(record);
    const fresh = new Map<string, IncomingTicket>();
    for (const ticket of tickets) {
      const { id, eventId } = ticket;
      const isKnown = this.state.events.has(eventId) || created.has(eventId);
      if (!isKnown) throw notFound('event', eventId);
      if (eventOfTicketId(id) !== eventId) throw misnamedTicket(id, eventId);
      if (!this.state.tickets.has(id) && !fresh.has(id)) fresh.set(id, ticket);
    }
    return fresh;
  }

  #refuseOwner(event: NewEventRecord): void {
    this.refuseTakenName(event);
    if (isBeingDeleted(this.state, event.id)) throw beingDeleted(event.id);
  }

  #createOwners({ organisation, events }: NewOwners): void {
    if (organisation) {
      this.state.organisations.set(organisation.record.id, organisation.record);
      this.changed(organisation.auditEntry);
    }
    for (const { record, auditEntry } of events) {
      this.state.events.set(record.id, { ...record, archivedAt: null });
      this.changed(auditEntry);
    }
  }
}
