import { isoTime } from '../../../../core/clock.ts';
import { LogEntryJson, logEntryFromView } from '../../../../core/codecs/log-entry.ts';
import { TicketJson, ticketFromView } from '../../../../core/codecs/ticket.ts';
import type { LogEntry } from '../../../../core/records.ts';
import {
  type NewTicket,
  type Ticket,
  type TicketHistory,
  UNUSED,
} from '../../../../core/ticket.ts';
import type { TicketEdits } from '../../../../core/ticket-edit.ts';
import type { AdminClient } from '../../../../operations/admin-client.ts';
import { Done } from '../../../../operations/fields.ts';
import { exportLine } from '../../../../tickets/lists/write-lists.ts';
import { Erased, Imported, ManyDone } from '../../../admin/wire/tickets.ts';
import type { ManyAct, ManyTickets, StepDone } from '../../../manage/many-tickets.ts';
import type { InsertOptions } from '../../../stores/record-store.ts';
import type { DataTickets, ManySteps } from '../data-types.ts';

/** What people do with tickets, at a server. */
export class RemoteTickets implements DataTickets, ManySteps {
  readonly #client: AdminClient;
  /** Whether the last erasure left nothing in the server's files. */
  isPurged = false;

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
      exportLine({ ticket: { ...UNUSED, ...ticket }, eventName: '', now: ticket.createdAt }),
    );
    const path = `/tickets/import?format=jsonl&skipExisting=${existing === 'skip'}`;
    return (await this.#client.postLines(path, Imported, lines.join(''))).existing;
  }

  async edit(
    _organisationId: string | null,
    ticketId: string,
    { usesAllowed: uses, holder, ...window }: TicketEdits,
  ): Promise<Ticket> {
    const times = Object.entries(window).map(([name, time]) => [name, isoTime(time)]);
    const body = { ...Object.fromEntries(times), holder, uses };
    const path = `/tickets/${encodeURIComponent(ticketId)}`;
    return ticketFromView(await this.#client.patch(path, TicketJson, body));
  }

  async deleteOne(_organisationId: string | null, ticketId: string): Promise<void> {
    await this.#client.delete(`/tickets/${encodeURIComponent(ticketId)}`, Done);
  }

  async undo(_organisationId: string | null, sequence: number, reason: string): Promise<LogEntry> {
    const path = `/log/${sequence}/undo`;
    return logEntryFromView(await this.#client.post(path, LogEntryJson, { reason }));
  }

  /** One step; the server takes its events from the token. */
  async step(
    act: ManyAct,
    _organisationId: string | null,
    { eventIds: [event], batch }: ManyTickets,
    after: string | null,
  ): Promise<StepDone> {
    const selected = batch === undefined ? { event } : { batch };
    return this.#client.post(`/tickets/${act}`, ManyDone, { ...selected, after });
  }

  /** A server also overwrites what is left in its files. */
  async eraseHolders(
    _organisationId: string | null,
    ticketIds: readonly string[],
  ): Promise<number> {
    const body = { ids: ticketIds };
    const { erased, isPurged } = await this.#client.post('/tickets/erase-holders', Erased, body);
    this.isPurged = isPurged;
    return erased;
  }

  async #act(action: 'cancel' | 'reinstate', ticketId: string): Promise<Ticket> {
    const path = `/tickets/${encodeURIComponent(ticketId)}/${action}`;
    return ticketFromView(await this.#client.post(path, TicketJson));
  }
}
