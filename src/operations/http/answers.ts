import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { type Clock, isoTime } from '../../core/clock.ts';

const SAFE = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
} as const;

/** The headers of pages. They allow only scripts and styles from the server's own files, nothing inline, and no frame around the page. */
export const PAGE_HEADERS = {
  ...SAFE,
  'content-security-policy':
    "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; manifest-src 'self'; " +
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'permissions-policy': 'camera=(self), microphone=(), geolocation=()',
} as const;

/** The headers of answers that are data: a browser that shows one as a page runs and loads nothing. */
export const DATA_HEADERS = {
  ...SAFE,
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'cache-control': 'no-store',
} as const;

/** Gives every answer of the routes registered in `app` these headers, also the refusals. */
export function alwaysSend(app: FastifyInstance, headers: Readonly<Record<string, string>>): void {
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(headers);
  });
}

/** The names of members that can be long lists, in any answer. */
const LISTS = ['items', 'rows'] as const;
/** How many items are written in one turn. The schema of an answer checks each item, which takes some milliseconds. */
const ITEMS_PER_TURN = 100;

type Answer = Readonly<Record<string, unknown>>;

/** Writes long answers of `app` in steps: a list of thousands as one piece would hold the thread of the gates. */
export function writeLongAnswersInSteps(app: FastifyInstance): void {
  app.addHook('preSerialization', async (_request, reply, payload) => {
    const answer = payload as Answer | null;
    for (const member of LISTS) {
      const list = answer?.[member];
      if (!Array.isArray(list) || list.length <= ITEMS_PER_TURN) continue;
      const text = await inSteps(reply, { ...answer, [member]: [] }, member, list);
      reply.type('application/json; charset=utf-8').serializer((written: string) => written);
      return text;
    }
    return payload;
  });
}

/** @param answer with an empty list in place of the long one */
async function inSteps(
  reply: FastifyReply,
  answer: Answer,
  member: string,
  list: readonly unknown[],
): Promise<string> {
  const empty = reply.serialize(answer) as string;
  const begin = empty.indexOf(`"${member}":[]`) + member.length + 4;
  const parts: string[] = [];
  for (let from = 0; from < list.length; from += ITEMS_PER_TURN) {
    const some = list.slice(from, from + ITEMS_PER_TURN);
    const text = reply.serialize({ ...answer, [member]: some }) as string;
    parts.push(text.slice(begin, begin - empty.length));
    await nextTurn();
  }
  return `${empty.slice(0, begin)}${parts.join(',')}${empty.slice(begin)}`;
}

const TYPES = {
  csv: 'text/csv; charset=utf-8',
  excel: 'text/csv; charset=utf-8',
  jsonl: 'application/x-ndjson; charset=utf-8',
} as const;

/** Text is sent in pieces of about this size: a write for each line would cost more than making the line. */
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
export function dayOf({ clock }: { readonly clock: Clock }): string {
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
