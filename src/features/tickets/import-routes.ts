import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import * as z from 'zod';
import { TicketscanError } from '../../core/errors.ts';
import { UNUSED } from '../../core/ticket.ts';
import { counted } from '../../kit/text.ts';
import { ErrorBody, Explained } from '../../operations/fields.ts';
import type { AdminApp } from '../../operations/http/route.ts';
import type { IssueGroup } from '../../tickets/lists/rows.ts';
import { type AdminContext, scopeOf } from '../context.ts';
import {
  createFromList,
  IMPORT_TICKETS_MAX,
  ImportQuery,
  importTickets,
  issueToJson,
  NewTicketsQuery,
} from './import-lists.ts';
import { administrationOf, CreatedTickets, withCode } from './operations.ts';

const tags = ['Tickets'];
const LIST_TYPES = ['text/csv', 'application/x-ndjson', 'application/jsonl'];
/** Of the whole list. */
const BYTES_MAX = 16 * 1024 * 1024;
/** The lines of so much are read in some milliseconds, also when they are empty. */
const CHUNK_BYTES = 8 * 1024;
/** A ticket takes one line; a holder's name may have line breaks in CSV. */
const LIST_BOUNDS = { lineBytesMax: 64 * 1024, linesMax: 5 * IMPORT_TICKETS_MAX };

/** Read as it arrives, not as a whole. */
const ImportBody = z.unknown().meta({ description: 'a list in the format of the export' });
const NewTicketsList = z.unknown().meta({ description: 'CSV with headings' });

export const Imported = z
  .object({
    imported: z.number().int(),
    existing: z.number().int(),
    /** Of the tickets whose row names none; absent when there are none. */
    batch: z.string().optional(),
  })
  .meta({ id: 'Imported' });
/** What an import would store: nothing was stored. */
const ListPreview = z
  .object({
    tickets: z.number().int(),
    ended: z.number().int().meta({ description: 'how many of them ended before now' }),
  })
  .meta({ id: 'ListPreview' });
/** Nothing was stored: what is wrong, by line. Equal faults are listed once, and only the first of them. */
const ImportRefused = z
  .object({
    message: z.string(),
    ...Explained.shape,
    faults: z.array(
      z.object({
        ...{ line: z.number().int(), column: z.string().nullable(), message: z.string() },
        lines: z.array(z.number().int()).meta({ description: 'the first lines with this fault' }),
        count: z.number().int().meta({ description: 'how often it is in the list' }),
        ...Explained.shape,
      }),
    ),
  })
  .meta({ id: 'ImportRefused' });

/** Takes lists of tickets: of those that exist already, and of people who get one. */
export function importRoutes(app: AdminApp, context: AdminContext): void {
  // A list is read as it arrives; it may be longer than any other body.
  app.addContentTypeParser(LIST_TYPES, (_request, payload, done) => done(null, payload));
  importRoute(app, context);
  creationFromListRoute(app, context);
}

function importRoute(app: AdminApp, context: AdminContext): void {
  app.post(
    '/tickets/import',
    {
      config: { access: 'operator', share: 'uploads' },
      schema: {
        tags,
        operationId: 'importTickets',
        summary: 'Import existing tickets, with their ids and uses',
        description:
          'The body has the format of the export: CSV with headings (`text/csv`) or JSON Lines (`application/x-ndjson`). Nothing is stored unless every row is valid. At most 20,000 tickets, 16 MiB, and 64 KiB per line. If the answer is lost, send it again with `skipExisting`.',
        consumes: LIST_TYPES,
        querystring: ImportQuery,
        body: ImportBody,
        response: {
          200: z.union([Imported, ListPreview]),
          413: ErrorBody,
          422: z.union([ImportRefused, ErrorBody]),
        },
      },
    },
    async (request, reply) => {
      const scope = scopeOf(request, context);
      const administration = administrationOf({ ...context, scope });
      const chunks = listFrom(request);
      const source = { ...LIST_BOUNDS, name: 'the list', chunks };
      const isCsv = request.headers['content-type']?.startsWith('text/csv');
      const { format = isCsv ? 'csv' : 'jsonl', ...query } = request.query;
      const options = { ...query, format: format === 'csv' ? 'csv' : 'json' } as const;
      const result = await importTickets(scope, administration, source, options, context);
      if (result.kind === 'imported') {
        const { imported, existing, batch } = result;
        return { imported, existing, ...(batch !== undefined && { batch }) };
      }
      if (result.kind === 'preview') return numbersOf(result);
      return reply.code(422).send(refusalOf(result.faults));
    },
  );
}

function creationFromListRoute(app: AdminApp, context: AdminContext): void {
  app.post(
    '/tickets/from-list',
    {
      config: { access: 'operator', share: 'uploads' },
      schema: {
        tags,
        operationId: 'createTicketsFromList',
        summary: 'Create one ticket for each row of a list of people',
        description:
          'The body is CSV with headings such as firstName and lastName, in English or German. Nothing is stored unless every row is valid. At most 1,000 rows.',
        consumes: ['text/csv'],
        querystring: NewTicketsQuery,
        body: NewTicketsList,
        response: {
          200: ListPreview,
          201: CreatedTickets,
          413: ErrorBody,
          422: z.union([ImportRefused, ErrorBody]),
        },
      },
    },
    async (request, reply) => {
      const scope = scopeOf(request, context);
      const event = await scope.event(request.query.event);
      const administration = administrationOf({ ...context, scope });
      const source = { ...LIST_BOUNDS, name: 'the list', chunks: listFrom(request) };
      const made = await createFromList(administration, event, source, request.query, context);
      if ('kind' in made) {
        return made.kind === 'preview'
          ? reply.code(200).send(numbersOf(made))
          : reply.code(422).send(refusalOf(made.faults));
      }
      const [keys, now] = [context.keyring(), context.clock.now()];
      const items = made.map((ticket) => withCode({ ...ticket, ...UNUSED }, keys, now));
      return reply.code(201).send({ items });
    },
  );
}

function numbersOf({ tickets, ended }: { readonly tickets: number; readonly ended: number }) {
  return { tickets, ended };
}

function refusalOf(faults: readonly IssueGroup[]) {
  const count = faults.reduce((sum, fault) => sum + fault.count, 0);
  const message = `Nothing was stored: ${counted(count, 'issue')} in the list.`;
  return { message, code: 'list_refused', faults: faults.map(issueToJson) };
}

function listFrom({ body, headers }: FastifyRequest): AsyncIterable<Buffer> {
  const isStream = typeof (body as Readable | null)?.pipe === 'function';
  if (!isStream) {
    throw new TicketscanError('usage', `Send the list as ${LIST_TYPES.slice(0, 2).join(' or ')}.`, {
      reason: 'list_type',
    });
  }
  if (Number(headers['content-length']) > BYTES_MAX) throw listTooLong();
  return boundedChunks(body as Readable);
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
    // The client would otherwise see a broken connection instead of the answer.
    list.resume();
  }
}

function listTooLong(): Error {
  const message = `One import has at most ${BYTES_MAX / 1024 / 1024} MiB; send the list in parts.`;
  return Object.assign(new Error(message), { statusCode: 413, reason: 'list_too_large' });
}
