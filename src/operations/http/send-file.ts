import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import { isoTime } from '../../core/clock.ts';
import type { AdminContext } from './admin-app.ts';

const TYPES = {
  csv: 'text/csv; charset=utf-8',
  excel: 'text/csv; charset=utf-8',
  jsonl: 'application/x-ndjson; charset=utf-8',
} as const;

/** Text goes out in pieces of about this size: a write a line would cost more than making the line. */
const PIECE_CHARACTERS = 64 * 1024;

/** Streams lines as a file to save, a piece in memory at a time. @param name says what and when, in ASCII letters */
export function sendFile(
  reply: FastifyReply,
  name: string,
  format: keyof typeof TYPES,
  lines: Iterable<string> | AsyncIterable<string>,
): FastifyReply {
  return reply
    .header('content-type', TYPES[format])
    .header(
      'content-disposition',
      `attachment; filename="${name}.${format === 'jsonl' ? format : 'csv'}"`,
    )
    .send(Readable.from(pieces(lines), { objectMode: false }));
}

/** Today, for the name of a file. */
export function dayOf({ clock }: Pick<AdminContext, 'clock'>): string {
  return (isoTime(clock.now()) ?? '').slice(0, 10);
}

async function* pieces(lines: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string> {
  let piece = '';
  for await (const line of lines) {
    piece += line;
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = '';
    // Pages of the store come in microtasks: gates would wait for the whole file.
    await nextTurn();
  }
  if (piece !== '') yield piece;
}
