import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { refuse } from '../../../core/errors.ts';
import { WORKBOOK_TYPE } from '../../../kit/workbooks.ts';
import type { ListFormat } from '../../../tickets/lists/read-rows.ts';
import type { ByteSource } from '../../../tickets/lists/read-text.ts';

/** Rows of one import: they are checked as a whole before the first is stored. */
export const IMPORT_TICKETS_MAX = 20_000;
export const LIST_TYPES = ['text/csv', 'application/x-ndjson', 'application/jsonl', WORKBOOK_TYPE];
/** The most bytes of the whole list. */
const BYTES_MAX = 16 * 1024 * 1024;
/** The lines of so much are read in some milliseconds, also when they are empty. */
const CHUNK_BYTES = 8 * 1024;
/** A ticket takes one line; a holder's name may have line breaks in CSV. */
const LIST_BOUNDS = { lineBytesMax: 64 * 1024, linesMax: 5 * IMPORT_TICKETS_MAX };

/** The format of the list that a request brings: a table, or lines of JSON. */
export function formatFrom({ headers }: Pick<FastifyRequest, 'headers'>): ListFormat {
  const type = headers['content-type'] ?? '';
  return ['text/csv', WORKBOOK_TYPE].some((one) => type.startsWith(one)) ? 'csv' : 'json';
}

/** The list that a request brings, read as it arrives. */
export function sourceFrom({ body, headers }: FastifyRequest): ByteSource {
  const isStream = typeof (body as Readable | null)?.pipe === 'function';
  if (!isStream) {
    const detail = `Send it as ${LIST_TYPES.slice(0, 2).join(' or ')}.`;
    throw refuse('list_type', {}, { detail });
  }
  if (Number(headers['content-length']) > BYTES_MAX) throw listTooLong();
  return { ...LIST_BOUNDS, name: 'the list', chunks: boundedChunks(body as Readable) };
}

/** Scans are answered between two chunks. The rest of a list that is not read to its end is received and discarded. */
async function* boundedChunks(list: Readable): AsyncGenerator<Buffer> {
  let bytes = 0;
  try {
    for await (const chunk of list.iterator({ destroyOnReturn: false })) {
      bytes += chunk.length;
      if (bytes > BYTES_MAX) throw listTooLong();
      for (let at = 0; at < chunk.length; at += CHUNK_BYTES) {
        yield chunk.subarray(at, at + CHUNK_BYTES);
        await nextTurn();
      }
    }
  } finally {
    void discarded(list);
  }
}

/**
 * Receives the rest of a list that was refused: the client would otherwise see a broken connection instead of the answer. As when a list is
 * read, scans are answered between two chunks; somebody who never ends is cut off.
 */
async function discarded(list: Readable): Promise<void> {
  let bytes = 0;
  try {
    for await (const chunk of list.iterator({ destroyOnReturn: false })) {
      bytes += chunk.length;
      if (bytes > BYTES_MAX) {
        list.destroy();
        return;
      }
      await nextTurn();
    }
  } catch {
    // The client went away: nothing is left to receive.
  }
}

export function listTooLong(): Error {
  const message = `One import has at most ${BYTES_MAX / 1024 / 1024} MiB; send the list in parts.`;
  return Object.assign(new Error(message), { statusCode: 413, reason: 'list_too_large' });
}
