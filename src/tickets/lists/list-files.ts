import type { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isoTime } from '../../core/clock.ts';
import { writeSlowly } from '../files/atomic-file.ts';
import { ticketListing } from '../making/make-ticket.ts';
import type { PrintedTicket } from '../making/printed-ticket.ts';
import { type CsvDialect, csvLine } from './csv-text.ts';

/** Text is handed on in pieces of about this size: a write a line would cost more than making the line. */
const PIECE_CHARACTERS = 64 * 1024;

const HEADINGS = [
  'ticketId',
  'code',
  'event',
  'ticketType',
  'usesAllowed',
  'firstName',
  'lastName',
  'validFrom',
  'validUntil',
];

/** Writes the tickets and their codes as CSV. @param onTicket is told how many are done, now and then */
export async function writeCodesCsv(
  target: Writable,
  tickets: Iterable<PrintedTicket>,
  dialect: CsvDialect,
  onTicket: (count: number) => void = () => undefined,
): Promise<void> {
  function* lines(): Generator<string> {
    yield (dialect.mark ? '\ufeff' : '') + csvLine(HEADINGS, dialect);
    for (const ticket of tickets) yield csvLine(cellsOf(ticket), dialect);
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
      yield `${before}${JSON.stringify(ticketListing(ticket))}`;
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

function cellsOf(ticket: PrintedTicket): (string | number | null)[] {
  return [
    ticket.ticketId,
    ticket.code,
    ticket.event.id,
    ticket.ticketType,
    ticket.usesAllowed,
    ticket.holder?.firstName ?? null,
    ticket.holder?.lastName ?? null,
    isoTime(ticket.validFrom),
    isoTime(ticket.validUntil),
  ];
}
