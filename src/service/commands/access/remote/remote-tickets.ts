import { isoTime } from '../../../../core/clock.ts';
import type { NewTicket, Ticket, TicketHistory } from '../../../../core/ticket.ts';
import { Imported, Ticket as WireTicket } from '../../../admin/wire/tickets.ts';
import type { InsertOptions } from '../../../stores/store.ts';
import type { DataTickets } from '../data-types.ts';
import type { AdminClient } from './admin-client.ts';
import { ticketFrom } from './records.ts';

/** What people do with tickets, at a server. */
export class RemoteTickets implements DataTickets {
  readonly #client: AdminClient;

  constructor(client: AdminClient) {
    this.#client = client;
  }

  async cancel(_organisationId: string | null, ticketId: string): Promise<Ticket> {
    return this.#act('cancel', ticketId);
  }

  async reinstate(_organisationId: string | null, ticketId: string): Promise<Ticket> {
    return this.#act('reinstate', ticketId);
  }

  async import(
    _organisationId: string | null,
    tickets: readonly (NewTicket & Partial<TicketHistory>)[],
    { existing }: InsertOptions,
  ): Promise<number> {
    const lines = tickets.map((ticket) => `${JSON.stringify(rowOf(ticket))}\n`);
    const path = `/tickets/import?format=jsonl&skipExisting=${existing === 'skip'}`;
    return (await this.#client.postLines(path, Imported, lines.join(''))).existing;
  }

  async #act(action: 'cancel' | 'reinstate', ticketId: string): Promise<Ticket> {
    const path = `/tickets/${encodeURIComponent(ticketId)}/${action}`;
    return ticketFrom(await this.#client.post(path, WireTicket));
  }
}

/** Under the names of an export. */
function rowOf(ticket: NewTicket & Partial<TicketHistory>): Record<string, unknown> {
  const { usesConsumed = 0, lastConsumedAt = null, cancelledAt = null } = ticket;
  return {
    ticketId: ticket.id,
    ticketType: ticket.ticketType,
    usesAllowed: ticket.usesAllowed,
    usesConsumed,
    holder: ticket.holder,
    validFrom: isoTime(ticket.validFrom),
    validUntil: isoTime(ticket.validUntil),
    createdAt: isoTime(ticket.createdAt),
    lastConsumedAt: isoTime(lastConsumedAt),
    cancelledAt: isoTime(cancelledAt),
  };
}
