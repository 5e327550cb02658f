import { TicketJson, ticketFromJson } from '../../../../core/codecs/ticket.ts';
import {
  type NewTicket,
  type Ticket,
  type TicketHistory,
  UNUSED,
} from '../../../../core/ticket.ts';
import { exportLine } from '../../../../tickets/lists/ticket-export.ts';
import { Imported } from '../../../admin/wire/tickets.ts';
import type { InsertOptions } from '../../../stores/store.ts';
import type { DataTickets } from '../data-types.ts';
import type { AdminClient } from './admin-client.ts';

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
    const lines = tickets.map((ticket) =>
      exportLine({ ticket: { ...UNUSED, ...ticket }, eventName: '' }),
    );
    const path = `/tickets/import?format=jsonl&skipExisting=${existing === 'skip'}`;
    return (await this.#client.postLines(path, Imported, lines.join(''))).existing;
  }

  async #act(action: 'cancel' | 'reinstate', ticketId: string): Promise<Ticket> {
    const path = `/tickets/${encodeURIComponent(ticketId)}/${action}`;
    return ticketFromJson(await this.#client.post(path, TicketJson));
  }
}
