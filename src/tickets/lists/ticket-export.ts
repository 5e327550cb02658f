import { isoTime } from '../../core/clock.ts';
import type { Ticket } from '../../core/ticket.ts';
import { type CsvDialect, csvLine } from './csv-text.ts';

/** Everything there is of a ticket, under the names that an import reads. */
const FIELDS: readonly (readonly [name: string, value: (ticket: ExportedTicket) => Cell])[] = [
  ['ticketId', ({ ticket }) => ticket.id],
  ['event', ({ ticket }) => ticket.eventId],
  ['eventName', ({ eventName }) => eventName],
  ['ticketType', ({ ticket }) => ticket.ticketType],
  ['usesAllowed', ({ ticket }) => ticket.usesAllowed],
  ['usesConsumed', ({ ticket }) => ticket.usesConsumed],
  ['firstName', ({ ticket }) => ticket.holder?.firstName ?? null],
  ['lastName', ({ ticket }) => ticket.holder?.lastName ?? null],
  ['validFrom', ({ ticket }) => isoTime(ticket.validFrom)],
  ['validUntil', ({ ticket }) => isoTime(ticket.validUntil)],
  ['createdAt', ({ ticket }) => isoTime(ticket.createdAt)],
  ['lastConsumedAt', ({ ticket }) => isoTime(ticket.lastConsumedAt)],
  ['cancelledAt', ({ ticket }) => isoTime(ticket.cancelledAt)],
];

type Cell = string | number | null;

export interface ExportedTicket {
  readonly ticket: Ticket;
  readonly eventName: string;
}

/** The lines of a CSV export, the headings first. */
export async function* exportAsCsv(
  tickets: AsyncIterable<ExportedTicket>,
  dialect: CsvDialect,
): AsyncGenerator<string> {
  const headings = FIELDS.map(([name]) => name);
  yield (dialect.mark ? '\ufeff' : '') + csvLine(headings, dialect);
  for await (const ticket of tickets) {
    const cells = FIELDS.map(([, value]) => value(ticket));
    yield csvLine(cells, dialect);
  }
}

/** The lines of a JSON Lines export. */
export async function* exportAsJsonLines(
  tickets: AsyncIterable<ExportedTicket>,
): AsyncGenerator<string> {
  for await (const ticket of tickets) {
    const members = FIELDS.map(([name, value]) => [name, value(ticket)]);
    yield `${JSON.stringify(Object.fromEntries(members))}\n`;
  }
}
