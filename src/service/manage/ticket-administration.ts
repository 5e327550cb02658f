import type { Clock } from '../../core/clock.ts';
import { TicketscanError } from '../../core/errors.ts';
import { newTicket, type TicketOptions } from '../../core/new-ticket.ts';
import type { LogEntry } from '../../core/records.ts';
import type { NewTicket, Ticket, TicketHistory } from '../../core/ticket.ts';
import type { TicketEdits } from '../../core/ticket-edit.ts';
import { eventOfTicketId, makeBatchId } from '../../core/ticket-id.ts';
import { checkedReason, undoable } from '../../core/undo.ts';
import type { RandomBytes } from '../../kit/random.ts';
import type { InsertOptions, RecordStore } from '../stores/record-store.ts';
import type { LogStore } from '../stores/store.ts';
import { type Actor, auditEntryOf } from './actor.ts';
import { loggedTickets } from './logged-tickets.ts';

type IncomingTicket = NewTicket & Partial<TicketHistory>;

/** The event of new tickets; null for the organisation of an unknown event. */
interface TicketEvent {
  readonly id: string;
  readonly organisationId: string | null;
}

type TicketStore = RecordStore & Pick<LogStore, 'searchLog'>;

/** Changes of tickets, each with its audit entry. */
export class TicketAdministration {
  readonly #store: TicketStore;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #random: RandomBytes;
  readonly #actor: Actor;

  constructor(store: TicketStore, clock: Pick<Clock, 'now'>, random: RandomBytes, actor: Actor) {
    this.#store = store;
    this.#clock = clock;
    this.#random = random;
    this.#actor = actor;
  }

  /** Makes `count` tickets alike, all or none. @throws TicketscanError `usage` */
  async create(
    event: TicketEvent,
    options: Omit<TicketOptions, 'eventId'>,
    count: number,
  ): Promise<NewTicket[]> {
    const now = this.#clock.now();
    const batch = makeBatchId(this.#random);
    const tickets = Array.from({ length: count }, () => ({
      ...newTicket({ ...options, eventId: event.id }, now, this.#random),
      batch,
    }));
    await this.add(event, tickets, { kind: options.kind, batch });
    return tickets;
  }

  /**
   * Stores new tickets of an event, all or none.
   * @param details what the audit entry says besides their number
   * @throws as `insertTickets` does
   */
  async add(
    { id: subject, organisationId }: TicketEvent,
    tickets: readonly IncomingTicket[],
    details: Readonly<Record<string, unknown>> = {},
  ): Promise<void> {
    const told = { count: tickets.length, ...details };
    const change = { act: 'ticket.create', subject, organisationId, details: told };
    await this.#store.insertTickets(tickets, auditEntryOf(this.#actor, this.#clock, change));
  }

  /**
   * Stores tickets that exist already, with their history; all or none.
   * @returns how many were skipped
   * @throws as `insertTickets` does
   */
  async import(
    organisationId: string | null,
    tickets: readonly IncomingTicket[],
    options: InsertOptions,
  ): Promise<number> {
    const events = [...new Set(tickets.map(({ eventId }) => eventId))];
    const details = { count: tickets.length, events };
    const change = { act: 'ticket.import', subject: organisationId ?? '', organisationId, details };
    return this.#store.insertTickets(
      tickets,
      auditEntryOf(this.#actor, this.#clock, change),
      options,
    );
  }

  /** Holds for every scan that starts after this resolves. @throws TicketscanError `not_found` */
  async cancel(organisationId: string | null, ticketId: string): Promise<Ticket> {
    const change = { act: 'ticket.cancel', subject: ticketId, organisationId };
    return this.#store.cancelTicket(
      ticketId,
      this.#clock.now(),
      auditEntryOf(this.#actor, this.#clock, change),
    );
  }

  /**
   * Cancels tickets of an event, all or none; holds as `cancel` does.
   * @returns how many were not cancelled before
   * @throws TicketscanError `not_found`
   */
  async cancelAll(
    { id: subject, organisationId }: TicketEvent,
    ticketIds: readonly string[],
  ): Promise<number> {
    const change = { act: 'ticket.cancel', subject, organisationId };
    const auditEntry = auditEntryOf(this.#actor, this.#clock, change);
    return this.#store.cancelTickets(ticketIds, this.#clock.now(), auditEntry);
  }

  /**
   * Removes the holders of tickets, also from stored answers and from audit entries, and the reasons of their undone uses.
   * @param organisationId null for tickets of several organisations
   * @returns how many tickets had one of them
   */
  async eraseHolders(organisationId: string | null, ticketIds: readonly string[]): Promise<number> {
    const [only] = ticketIds;
    const subject = ticketIds.length === 1 && only !== undefined ? only : '';
    const change = { act: 'ticket.erase', subject, organisationId };
    return this.#store.eraseHolders(ticketIds, auditEntryOf(this.#actor, this.#clock, change));
  }

  /** Undoes `cancel`, and holds as it does. @throws TicketscanError `not_found` */
  async reinstate(organisationId: string | null, ticketId: string): Promise<Ticket> {
    const change = { act: 'ticket.reinstate', subject: ticketId, organisationId };
    return this.#store.reinstateTicket(ticketId, auditEntryOf(this.#actor, this.#clock, change));
  }

  /** Changes what was sold. @throws TicketscanError `not_found`, `usage`, `conflict`, as `editedTicket` does */
  async edit(organisationId: string | null, ticketId: string, edits: TicketEdits): Promise<Ticket> {
    const change = { act: 'ticket.edit', subject: ticketId, organisationId };
    return this.#store.editTicket(ticketId, edits, auditEntryOf(this.#actor, this.#clock, change));
  }

  /**
   * Deletes those of the tickets that were never used and are not in the log.
   * @param subject what the audit entry is about: the ticket, or the event
   * @returns the ids of those that were deleted
   */
  async delete(
    organisationId: string | null,
    subject: string,
    ticketIds: readonly string[],
  ): Promise<string[]> {
    const { logged, upTo } = await loggedTickets(this.#store, ticketIds);
    const unlogged = ticketIds.filter((id) => !logged.has(id));
    const change = { act: 'ticket.delete', subject, organisationId };
    const auditEntry = auditEntryOf(this.#actor, this.#clock, change);
    return this.#store.deleteTickets(unlogged, upTo, auditEntry);
  }

  /** @throws TicketscanError `not_found`, `conflict` for a ticket that was used or is in the log */
  async deleteOne(organisationId: string | null, ticketId: string): Promise<void> {
    const ticket = await this.#store.findTicket(ticketId);
    if (!ticket) throw new TicketscanError('not_found', `Unknown ticket ${ticketId}.`);
    if ((await this.delete(organisationId, ticketId, [ticketId])).length > 0) return;
    throw new TicketscanError(
      'conflict',
      `Ticket ${ticketId} was used, or the scan log names it: it cannot be deleted. Cancel it instead.`,
      { reason: 'ticket_used' },
    );
  }

  /**
   * Takes back the use of a log entry (ADR 0091).
   * @param organisationId of the log; null for the whole store
   * @throws TicketscanError as `Store.undoUse` does, `usage` for a reason that cannot be kept
   */
  async undo(organisationId: string | null, sequence: number, reason: string): Promise<LogEntry> {
    const kept = checkedReason(reason);
    const { entries } = await this.#store.searchLog({
      ...(organisationId !== null && { organisationId }),
      afterSequence: sequence - 1,
      limit: 1,
      searchMax: 1,
    });
    // After the entries that were pruned, or in a gap, the next one is found.
    const entry = entries.find((one) => one.sequence === sequence);
    const { ticketId } = undoable(entry, sequence, entry?.undoneBy);
    const auditEntry = auditEntryOf(this.#actor, this.#clock, {
      act: 'ticket.undo',
      subject: ticketId,
      organisationId: organisationId ?? (await this.#ownerOf(ticketId)),
      details: { sequence, reason: kept },
    });
    const request = { sequence, at: auditEntry.at, by: this.#actor.by, reason: kept };
    return this.#store.undoUse(request, auditEntry);
  }

  async #ownerOf(ticketId: string): Promise<string | null> {
    const eventId = eventOfTicketId(ticketId);
    const events = await this.#store.list('event');
    return events.find(({ id }) => id === eventId)?.organisationId ?? null;
  }
}
