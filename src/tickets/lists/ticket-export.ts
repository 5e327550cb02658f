import { type HandedOutTicket, handedOutToJson } from '../../core/codecs/handed-out-ticket.ts';
import { ticketToJson } from '../../core/codecs/ticket.ts';
import type { Holder, Ticket } from '../../core/ticket.ts';
import { type CsvDialect, csvLine } from '../../kit/csv/text.ts';

/** Everything there is of a ticket, under the names that an import reads; it ignores the state. */
const EXPORT_COLUMNS = [
  ...['ticketId', 'event', 'eventName', 'ticketType', 'usesAllowed', 'usesConsumed'],
  ...['state', 'firstName', 'lastName', 'validFrom', 'validUntil'],
  ...['createdAt', 'lastConsumedAt', 'cancelledAt', 'batch'],
];

/** The columns of a list of codes. */
export const CODE_COLUMNS = [
  ...['ticketId', 'code', 'event', 'ticketType', 'usesAllowed'],
  ...['firstName', 'lastName', 'validFrom', 'validUntil'],
];

type Cell = string | number | null;

export interface ExportedTicket {
  readonly ticket: Ticket;
  readonly eventName: string;
  /** Of the state that is written: milliseconds since 1970 UTC. */
  readonly now: number;
}

/** A ticket's JSON as cells: the holder's names each have one. */
function cellsOf(
  { holder, ...json }: { readonly holder: Holder | null; readonly eventName?: string },
  columns: readonly string[],
): Cell[] {
  const cells = { firstName: null, lastName: null, ...json, ...holder } as Record<string, Cell>;
  return columns.map((name) => cells[name] ?? null);
}

export function codeCells(ticket: HandedOutTicket): Cell[] {
  return cellsOf(handedOutToJson(ticket), CODE_COLUMNS);
}

function exportCells({ ticket, eventName, now }: ExportedTicket): Cell[] {
  return cellsOf({ ...ticketToJson(ticket, now), eventName }, EXPORT_COLUMNS);
}

/** What columns and values are called, and the zone of times that name none. */
interface ExportWords {
  readonly timeZone: string;
  readonly heading: (column: string) => string;
  readonly cell: <Value>(column: string, value: Value) => Value | string;
}

/** The lines of a CSV export, the headings first. */
export async function* exportAsCsv(
  tickets: AsyncIterable<ExportedTicket>,
  dialect: CsvDialect,
  {
    heading = String,
    cell = <Cell>(_: string, value: Cell) => value,
    timeZone,
  }: Partial<ExportWords> = {},
): AsyncGenerator<string> {
  const zone = timeZone === undefined ? [] : [timeZone];
  const headings = [...EXPORT_COLUMNS, ...zone.map(() => 'timeZone')].map(heading);
  yield (dialect.mark ? '\ufeff' : '') + csvLine(headings, dialect);
  for await (const ticket of tickets) {
    const cells = exportCells(ticket);
    const shown = cells.map((value, index) => cell(EXPORT_COLUMNS[index] ?? '', value));
    yield csvLine([...shown, ...zone], dialect);
  }
}

/** The lines of a JSON Lines export. */
export async function* exportAsJsonLines(
  tickets: AsyncIterable<ExportedTicket>,
): AsyncGenerator<string> {
  for await (const ticket of tickets) yield exportLine(ticket);
}

/** One line of JSON Lines. */
export function exportLine(ticket: ExportedTicket): string {
  const cells = exportCells(ticket);
  const members = EXPORT_COLUMNS.map((name, index) => [name, cells[index]]);
  return `${JSON.stringify(Object.fromEntries(members))}\n`;
}
