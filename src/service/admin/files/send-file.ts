import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

const TYPES = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/x-ndjson; charset=utf-8',
} as const;

/** Text goes out in pieces of about this size: a write a line would cost more than making the line. */
const PIECE_CHARACTERS = 64 * 1024;

/** Streams lines as a file to save, a piece in memory at a time. */
export function sendFile(
  reply: FastifyReply,
  name: string,
  format: 'csv' | 'jsonl',
  lines: AsyncIterable<string>,
): FastifyReply {
  return reply
    .header('content-type', TYPES[format])
    .header('content-disposition', `attachment; filename="${name}.${format}"`)
    .send(Readable.from(pieces(lines), { objectMode: false }));
}

async function* pieces(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let piece = '';
  for await (const line of lines) {
    piece += line;
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}
