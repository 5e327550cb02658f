import type { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ticketToJson } from '../../core/records.ts';
import type { HandedOutTicket, Holder, Ticket } from '../../core/ticket.ts';
import { handedOutToJson } from '../../core/ticket.ts';
import { TICKET_FIELD_NAMES } from '../../core/ticket-fields.ts';
import { type CsvDialect, csvLine } from '../../kit/csv.ts';
import { writeSlowly } from '../files.ts';
import type { KeptColumns } from '../making/ticket-run.ts';
import type { PrintedTicket } from '../sheets/printed-ticket.ts';
import { EXPORT_COLUMNS } from './ticket-list.ts';

/** The columns of a list of codes. */
export const CODE_COLUMNS: readonly string[] = [
  'ticketId',
  'code',
  'event',
  'ticketType',
  'usesAllowed',
  'firstName',
  'lastName',
  'validFrom',
  'validUntil',
  ...TICKET_FIELD_NAMES,
];

type Cell = string | number | null;

/** A value of JSON: a mark that a ticket has or lacks is a boolean there. */
type JsonCell = Cell | boolean;

/** A cell of CSV: a mark that a ticket lacks leaves it empty. */
function csvCell(value: JsonCell): Cell {
  return typeof value === 'boolean' ? (value ? 'true' : null) : value;
}

export interface ExportedTicket {
  readonly ticket: Ticket;
  readonly eventName: string;
  /** The time of the state that is written: milliseconds since 1970 UTC. */
  readonly now: number;
}

/** A ticket's JSON as cells: the holder's names each have one. */
function cellsOf(
  { holder, ...json }: { readonly holder: Holder | null; readonly eventName?: string },
  columns: readonly string[],
): JsonCell[] {
  const cells = { firstName: null, lastName: null, ...json, ...holder } as Record<string, JsonCell>;
  return columns.map((name) => cells[name] ?? null);
}

function codeCells(ticket: HandedOutTicket): Cell[] {
  return cellsOf(handedOutToJson(ticket), CODE_COLUMNS).map(csvCell);
}

function exportCells({ ticket, eventName, now }: ExportedTicket): JsonCell[] {
  return cellsOf({ ...ticketToJson(ticket, now), eventName }, EXPORT_COLUMNS);
}

/** What columns and values are called, and the zone of times that name none. */
export interface ExportWords {
  readonly timeZone: string;
  readonly heading: (column: string) => string;
  readonly cell: <Value>(column: string, value: Value) => Value | string;
}

/** Headings and rows as they are called; with a column for the zone of the times. */
function inWords(columns: readonly string[], words: ExportWords | undefined) {
  if (!words) return { head: columns, row: (cells: readonly Cell[]) => cells };
  const { heading, cell, timeZone } = words;
  return {
    head: [...columns, 'timeZone'].map(heading),
    row: (cells: readonly Cell[]): readonly Cell[] => [
      ...cells.map((value, index) => cell(columns[index] ?? '', value)),
      timeZone,
    ],
  };
}

/** The lines of a CSV export, the headings first. */
export async function* exportAsCsv(
  tickets: AsyncIterable<ExportedTicket>,
  dialect: CsvDialect,
  words: ExportWords | undefined = undefined,
): AsyncGenerator<string> {
  const { head, row } = inWords(EXPORT_COLUMNS, words);
  yield (dialect.mark ? '\ufeff' : '') + csvLine(head, dialect);
  for await (const ticket of tickets) yield csvLine(row(exportCells(ticket).map(csvCell)), dialect);
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

/** Text is handed on in pieces of about this size: a write a line would cost more than making the line. */
const PIECE_CHARACTERS = 64 * 1024;

/** How tickets and their codes are written as CSV. */
export interface CodesCsv {
  readonly dialect: CsvDialect;
  readonly words?: ExportWords | undefined;
}

/** Writes the tickets and their codes as CSV. @param onTicket called now and then with the number of written tickets */
export async function writeCodesCsv(
  target: Writable,
  tickets: Iterable<PrintedTicket>,
  { dialect, words }: CodesCsv,
  kept: KeptColumns = { headings: [], cellsAt: () => [] },
  onTicket: (count: number) => void = () => undefined,
): Promise<void> {
  function* lines(): Generator<string> {
    const { head, row } = inWords(CODE_COLUMNS, words);
    yield (dialect.mark ? '\ufeff' : '') + csvLine([...head, ...kept.headings], dialect);
    let index = 0;
    for (const ticket of tickets) {
      yield csvLine([...row(codeCells(ticket)), ...kept.cellsAt(index)], dialect);
      index += 1;
    }
  }
  await writePieces(target, lines(), onTicket);
}

/** Writes the tickets and their codes as a JSON array, one line each. */
export async function writeCodesJson(
  target: NodeJS.WritableStream,
  tickets: Iterable<PrintedTicket>,
  onTicket: (count: number) => void = () => undefined,
): Promise<void> {
  function* lines(): Generator<string> {
    let before = '[\n';
    for (const ticket of tickets) {
      yield `${before}${JSON.stringify(handedOutToJson(ticket))}`;
      before = ',\n';
    }
    yield before === '[\n' ? '[]\n' : '\n]\n';
  }
  await writePieces(target, lines(), onTicket);
}

/** Writes many short texts as few long ones, no faster than the target takes them. */
export async function writePieces(
  target: NodeJS.WritableStream,
  lines: Iterable<string> | AsyncIterable<string>,
  onLine: (count: number) => void = () => undefined,
): Promise<void> {
  let piece = '';
  let count = 0;
  for await (const line of lines) {
    piece += line;
    count += 1;
    if (piece.length < PIECE_CHARACTERS) continue;
    await writeSlowly(target, piece);
    // Making lines never waits: signals and progress need a turn of the event loop.
    await nextTurn();
    onLine(count);
    piece = '';
  }
  await writeSlowly(target, piece);
  onLine(count);
}
