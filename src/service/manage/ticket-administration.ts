import type { Clock } from '../../core/clock.ts';
import { newTicket, type TicketOptions } from '../../core/new-ticket.ts';
import type { NewTicket, Ticket, TicketHistory } from '../../core/ticket.ts';
import type { RandomBytes } from '../../kit/random.ts';
import type { InsertOptions, RecordStore } from '../stores/store.ts';
import { type Actor, auditEntryOf } from './actor.ts';

type IncomingTicket = NewTicket & Partial<TicketHistory>;

/** The event of new tickets; null for the organisation of an unknown event. */
interface TicketEvent {
  readonly id: string;
  readonly organisationId: string | null;
}

/** Changes of tickets, each with its audit entry. */
export class TicketAdministration {
  readonly #store: RecordStore;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #random: RandomBytes;
  readonly #actor: Actor;

  constructor(store: RecordStore, clock: Pick<Clock, 'now'>, random: RandomBytes, actor: Actor) {
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
    const tickets = Array.from({ length: count }, () =>
      newTicket({ ...options, eventId: event.id }, now, this.#random),
    );
    await this.add(event, tickets, { kind: options.kind });
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

  /** Undoes `cancel`, and holds as it does. @throws TicketscanError `not_found` */
  async reinstate(organisationId: string | null, ticketId: string): Promise<Ticket> {
    const change = { act: 'ticket.reinstate', subject: ticketId, organisationId };
    return this.#store.reinstateTicket(ticketId, auditEntryOf(this.#actor, this.#clock, change));
  }
}
