import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import * as z from 'zod';
import { TicketscanError } from '../../../core/errors.ts';
import type { Ticket } from '../../../core/ticket.ts';
import { checkTimeZone } from '../../../core/time-zone.ts';
import { counted } from '../../../kit/counted.ts';
import { EXCEL_CSV, SHEET_CSV } from '../../../kit/csv/text.ts';
import { ErrorBody } from '../../../operations/fields.ts';
import { scopeOf } from '../../../operations/route.ts';
import type { IssueGroup } from '../../../tickets/lists/rows.ts';
import {
  type ExportedTicket,
  exportAsCsv,
  exportAsJsonLines,
} from '../../../tickets/lists/write-lists.ts';
import { sheetWords } from '../../manage/sheet-words.ts';
import { TicketAdministration } from '../../manage/ticket-administration.ts';
import type { StateAt } from '../../stores/record-store.ts';
import type { AdminApp, AdminContext } from '../admin-app.ts';
import { createFromList, importTickets, issueToJson } from '../files/import-tickets.ts';
import { dayOf, sendFile } from '../files/send-file.ts';
import { withCodes } from '../views/ticket-with-code.ts';
import {
  CreatedTickets,
  ExportQuery,
  IMPORT_BYTES_MAX,
  IMPORT_LINE_BYTES_MAX,
  IMPORT_TICKETS_MAX,
  ImportBody,
  Imported,
  ImportQuery,
  ImportRefused,
  ListPreview,
  NewTicketsList,
  NewTicketsQuery,
} from '../wire/tickets.ts';

const tags = ['Tickets'];
const LIST_TYPES = ['text/csv', 'application/x-ndjson', 'application/jsonl'];
const PAGE_TICKETS = 500;
/** The lines of so much are read in some milliseconds, also when they are empty. */
const CHUNK_BYTES = 8 * 1024;
/** A ticket takes one line; a holder's name may have line breaks in CSV. */
const LIST_BOUNDS = { lineBytesMax: IMPORT_LINE_BYTES_MAX, linesMax: 5 * IMPORT_TICKETS_MAX };

/** Exports and imports tickets as files, with all their fields. */
export function ticketFileRoutes(app: AdminApp, context: AdminContext): void {
  // A list is read as it arrives; it may be longer than any other body.
  app.addContentTypeParser(LIST_TYPES, (_request, payload, done) => done(null, payload));
  importRoute(app, context);
  creationFromListRoute(app, context);
  exportRoute(app, context);
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
      const { store, clock, random } = context;
      const administration = new TicketAdministration(store, clock, random, scope.actor);
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
      const { store, clock, random } = context;
      const administration = new TicketAdministration(store, clock, random, scope.actor);
      const source = { ...LIST_BOUNDS, name: 'the list', chunks: listFrom(request) };
      const made = await createFromList(administration, event, source, request.query, context);
      if ('kind' in made) {
        return made.kind === 'preview'
          ? reply.code(200).send(numbersOf(made))
          : reply.code(422).send(refusalOf(made.faults));
      }
      return reply.code(201).send({ items: withCodes(made, context) });
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

function exportRoute(app: AdminApp, context: AdminContext): void {
  app.get(
    '/tickets/export',
    {
      config: { access: 'viewer', share: 'exports' },
      schema: {
        tags,
        operationId: 'exportTickets',
        summary: 'Tickets as a file, never with their codes',
        produces: ['text/csv', 'application/x-ndjson'],
        querystring: ExportQuery,
      },
    },
    async (request, reply) => {
      const scope = scopeOf(request, context);
      const { format, event, state, language, timeZone } = request.query;
      const events = event === undefined ? await scope.events() : [await scope.event(event)];
      const names = new Map(events.map(({ id, name }) => [id, name]));
      const now = context.clock.now();
      const asked = state && { is: state, now };
      const tickets = named(everyTicket(context, [...names.keys()], asked), names, now);
      const words = sheetWords({ language, timeZone: checkTimeZone(timeZone) });
      const lines = {
        csv: () => exportAsCsv(tickets, SHEET_CSV),
        excel: () => exportAsCsv(tickets, EXCEL_CSV, words),
        jsonl: () => exportAsJsonLines(tickets),
      }[format]();
      return sendFile(reply, `tickets-${dayOf(context)}`, format, lines);
    },
  );
}

function listFrom({ body, headers }: FastifyRequest): AsyncIterable<Buffer> {
  const isStream = typeof (body as Readable | null)?.pipe === 'function';
  if (!isStream) {
    throw new TicketscanError('usage', `Send the list as ${LIST_TYPES.slice(0, 2).join(' or ')}.`, {
      reason: 'list_type',
    });
  }
  if (Number(headers['content-length']) > IMPORT_BYTES_MAX) throw listTooLong();
  return boundedChunks(body as Readable);
}

/** Scans are answered between two chunks. The rest of a list that is not read to its end is received and discarded. */
async function* boundedChunks(list: Readable): AsyncGenerator<Buffer> {
  let bytes = 0;
  try {
    for await (const chunk of list.iterator({ destroyOnReturn: false })) {
      bytes += chunk.length;
      if (bytes > IMPORT_BYTES_MAX) throw listTooLong();
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
  const message = `One import has at most ${IMPORT_BYTES_MAX / 1024 / 1024} MiB; send the list in parts.`;
  return Object.assign(new Error(message), { statusCode: 413, reason: 'list_too_large' });
}

async function* everyTicket(
  { store }: AdminContext,
  eventIds: readonly string[],
  state: StateAt | undefined,
): AsyncGenerator<Ticket> {
  let next: string | null = '';
  while (next !== null) {
    const page = await store.searchTickets({
      eventIds,
      limit: PAGE_TICKETS,
      searchMax: PAGE_TICKETS,
      ...(state && { state }),
      ...(next !== '' && { afterId: next }),
    });
    yield* page.tickets;
    ({ next } = page);
  }
}

async function* named(
  tickets: AsyncIterable<Ticket>,
  names: ReadonlyMap<string, string>,
  now: number,
): AsyncGenerator<ExportedTicket> {
  for await (const ticket of tickets) {
    yield { ticket, eventName: names.get(ticket.eventId) ?? '', now };
  }
}
