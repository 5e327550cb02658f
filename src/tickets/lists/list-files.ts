import type { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { handedOutToJson } from '../../core/codecs/handed-out-ticket.ts';
import { type CsvDialect, csvLine } from '../../kit/csv/text.ts';
import { writeSlowly } from '../files/atomic-file.ts';
import type { KeptColumns } from '../making/make-ticket.ts';
import type { PrintedTicket } from '../making/printed-ticket.ts';
import { CODE_COLUMNS, codeCells } from './ticket-export.ts';

/** Text is handed on in pieces of about this size: a write a line would cost more than making the line. */
const PIECE_CHARACTERS = 64 * 1024;

/** Writes the tickets and their codes as CSV. @param onTicket called now and then with the number of written tickets */
export async function writeCodesCsv(
  target: Writable,
  tickets: Iterable<PrintedTicket>,
  dialect: CsvDialect,
  kept: KeptColumns = { headings: [], cellsAt: () => [] },
  onTicket: (count: number) => void = () => undefined,
): Promise<void> {
  function* lines(): Generator<string> {
    yield (dialect.mark ? '\ufeff' : '') + csvLine([...CODE_COLUMNS, ...kept.headings], dialect);
    let index = 0;
    for (const ticket of tickets) {
      yield csvLine([...codeCells(ticket), ...kept.cellsAt(index)], dialect);
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
