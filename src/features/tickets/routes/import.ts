import * as z from 'zod';
import { refuse } from '../../../core/errors.ts';
import { USES_MULTI_MAX } from '../../../core/limits.ts';
import type { EventRecord } from '../../../core/records.ts';
import { hasEnded, TICKET_KINDS, type TicketTerms, UNUSED } from '../../../core/ticket.ts';
import { makeBatchId, makeTicketId } from '../../../core/ticket-id.ts';
import { checkTimeZone } from '../../../core/time-zone.ts';
import { defined } from '../../../kit/defined.ts';
import { counted } from '../../../kit/text.ts';
import { WORKBOOK_TYPE } from '../../../kit/workbooks.ts';
import { ErrorBody, Explained } from '../../../operations/fields.ts';
import type { AdminApp } from '../../../operations/http/route.ts';
import type { RecordStore } from '../../../stores/record-store.ts';
import { meaningKey } from '../../../tickets/lists/chosen-rows.ts';
import type { ColumnHeadings } from '../../../tickets/lists/match-columns.ts';
import { type ByteSource, ENCODINGS } from '../../../tickets/lists/read-text.ts';
import {
  groupedIssues,
  issueAt,
  type RowIssue,
  shortened,
} from '../../../tickets/lists/row-issues.ts';
import { readSpecList, readTicketList } from '../../../tickets/lists/ticket-list.ts';
import {
  ofUnknownEvents,
  storableRecords,
  storeImported,
} from '../../../tickets/making/import-tickets.ts';
import { type AdminContext, scopeOf } from '../../context.ts';
import type { AccountScope } from '../../scope.ts';
import { administrationOf, CreatedTickets, withCode } from '../operations.ts';
import { TICKETS_AT_ONCE_MAX } from '../rules.ts';
import { IMPORT_TICKETS_MAX, LIST_TYPES, sourceFrom } from './list-source.ts';
import { workbookRoute } from './workbook.ts';

const tags = ['Tickets'];
const FAULTS_SHOWN = 100;
/** References that are looked for at once: some 10 ms of a store's only writer. */
const REFERENCES_AT_ONCE = 250;
/** The options for reading a list. */
const ListReading = z.object({
  /** Stores nothing and says what the list holds. */
  preview: z.stringbool().default(false),
  /** A JSON object: types that are not known, and what they are here. */
  types: jsonOf(z.record(z.string(), z.enum(TICKET_KINDS)), '{"Season":"permanent"}').optional(),
  /** The encoding of CSV; `latin1` is Windows-1252, and `auto` decides by the bytes. */
  encoding: z.enum(ENCODINGS).default('utf-8'),
  /** The sheet of a workbook; the first that is not hidden, when it is left out. */
  worksheet: z.string().max(100).optional(),
  /** A JSON object: for headings that are not known, the name of their column, or null to leave it out. */
  columns: jsonOf(
    z.record(z.string(), z.string().nullable()),
    '{"Name":"lastName","E-Mail":null}',
  ).optional(),
  /** The zone of times without one. */
  timeZone: z.string().default('UTC'),
  /** Skip rows whose reference a ticket of the organisation has. Then each row needs a reference, and no two the same. */
  uniqueReference: z.stringbool().default(false),
});
type ListReading = z.output<typeof ListReading>;

const ImportQuery = ListReading.extend({
  /** The format; what the content type says, when it is left out. */
  format: z.enum(['csv', 'jsonl']).optional(),
  /** Skip tickets that already exist. */
  skipExisting: z.stringbool().default(false),
});

/** A list of people who get a ticket each. */
const NewTicketsQuery = ListReading.extend({
  event: z.string(),
  /** The kind of rows that name none. */
  type: z.enum(TICKET_KINDS).default('single'),
  /** The uses of multi-use cards whose row has none. */
  uses: z.coerce.number().int().min(1).max(USES_MULTI_MAX).optional(),
});

/** A member of a query that is JSON. */
function jsonOf<Schema extends z.ZodType>(schema: Schema, example: string) {
  return z
    .string()
    .max(8000)
    .transform((text, context) => {
      const parsed = schema.safeParse(jsonFrom(text));
      if (parsed.success) return parsed.data;
      context.addIssue(`expected a JSON object such as ${example}`);
      return z.NEVER;
    });
}

function jsonFrom(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Read as it arrives, not as a whole. */
const ImportBody = z.unknown().meta({ description: 'a list in the format of the export' });
const NewTicketsList = z.unknown().meta({ description: 'CSV with headings, or a workbook' });
const Notes = z.array(z.string()).optional().meta({
  description: 'what somebody should know who did not look at each row; absent when nothing is',
});
export const Imported = z
  .object({
    imported: z.number().int(),
    existing: z.number().int(),
    /** Skipped, because their reference is known. */
    known: z.number().int(),
    /** The batch of the tickets whose row names none; absent when there are none. */
    batch: z.string().optional(),
    notes: Notes,
  })
  .meta({ id: 'Imported' });
/** What an import would store: nothing was stored. */
const ListPreview = z
  .object({
    tickets: z.number().int(),
    ended: z.number().int().meta({ description: 'how many of them ended before now' }),
    notes: Notes,
    known: z.number().int().meta({
      description:
        'how many of them `uniqueReference` would skip, because their reference is known',
    }),
  })
  .meta({ id: 'ListPreview' });
const CreatedFromList = CreatedTickets.extend({
  known: z.number().int().meta({ description: 'rows that were skipped: their reference is known' }),
  notes: Notes,
}).meta({ id: 'CreatedFromList' });
/** Nothing was stored: what is wrong, by line. Equal faults are listed once, and only the first of them. */
const ImportRefused = z
  .object({
    message: z.string(),
    ...Explained.shape,
    good: z.number().int().nullable().meta({
      description: 'how many tickets the other rows are; null when not every row could be read',
    }),
    badLines: z
      .array(z.number().int())
      .meta({ description: 'the lines of all rows with a fault; empty when `good` is null' }),
    faults: z.array(
      z.object({
        line: z.number().int(),
        column: z.string().nullable(),
        message: z.string(),
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
  workbookRoute(app);
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
          'The body has the format of the export: CSV with headings (`text/csv`), JSON Lines (`application/x-ndjson`) or a workbook (`.xlsx`). Nothing is stored unless every row is valid. At most 20,000 tickets, 16 MiB, and 64 KiB per line. If the answer is lost, send it again with `skipExisting`.',
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
      const type = request.headers['content-type'] ?? '';
      const isTable = ['text/csv', WORKBOOK_TYPE].some((one) => type.startsWith(one));
      const { format = isTable ? 'csv' : 'jsonl', ...query } = request.query;
      const options = { ...query, format: format === 'csv' ? 'csv' : 'json' } as const;
      const scope = scopeOf(request, context);
      const result = await importTickets(scope, context, sourceFrom(request), options);
      return 'faults' in result ? reply.code(422).send(result) : result;
    },
  );
}

/** Stores the tickets of a list with their ids and uses, when every row is valid. */
async function importTickets(
  scope: AccountScope,
  context: AdminContext,
  source: ByteSource,
  {
    skipExisting,
    preview,
    ...query
  }: Omit<z.output<typeof ImportQuery>, 'format'> & {
    readonly format: 'csv' | 'json';
  },
) {
  const { store, clock, random } = context;
  const now = clock.now();
  const bounds = { issuesMax: FAULTS_SHOWN, ticketsMax: IMPORT_TICKETS_MAX };
  const list = await readTicketList(source, { ...query, ...readingFrom(query), now, bounds });
  const unknown = ofUnknownEvents(list.items, await scope.events());
  const references = query.uniqueReference ? ('unique' as const) : undefined;
  const finder = skipExisting ? undefined : store;
  const records = await storableRecords(list, unknown, finder, references);
  if (list.issues.length > 0) {
    return refusalOf(list.issues, list.isWhole ? records.length : null);
  }
  const specs = records.map(({ ticket }) => ticket);
  if (preview) {
    return { ...(await previewOf({ specs, references }, context, scope)), ...told(list.notes) };
  }
  const administration = administrationOf({ ...context, scope });
  const existing = skipExisting ? 'skip' : 'refuse';
  const stored = await storeImported(records, makeBatchId(random), (some) =>
    administration.import(some, { existing, ...defined({ references }) }),
  );
  return { ...stored, ...told(list.notes) };
}

/** What was noticed in a list, where there is something. */
function told(notes: readonly string[]): { notes?: string[] } {
  return notes.length > 0 ? { notes: [...notes] } : {};
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
          'The body is CSV or a workbook (`.xlsx`) with headings such as firstName and lastName, in English or German. Nothing is stored unless every row is valid. At most 1,000 rows.',
        consumes: ['text/csv', WORKBOOK_TYPE],
        querystring: NewTicketsQuery,
        body: NewTicketsList,
        response: {
          200: ListPreview,
          201: CreatedFromList,
          413: ErrorBody,
          422: z.union([ImportRefused, ErrorBody]),
        },
      },
    },
    async (request, reply) => {
      const scope = scopeOf(request, context);
      const event = await scope.event(request.query.event);
      const { type: kind, uses, preview, ...query } = request.query;
      const timeZone = checkTimeZone(query.timeZone);
      const { items, issues, notes, isWhole } = await readSpecList(sourceFrom(request), {
        format: 'csv',
        encoding: query.encoding,
        worksheet: query.worksheet,
        ...readingFrom(query),
        uniqueReference: query.uniqueReference,
        event,
        defaults: { kind, uses, window: { validFrom: null, validUntil: null }, timeZone },
        bounds: { issuesMax: FAULTS_SHOWN, ticketsMax: TICKETS_AT_ONCE_MAX },
      });
      if (issues.length === 0 && items.length === 0)
        issues.push(issueAt(1, null, refuse('list_empty')));
      if (issues.length > 0) {
        return reply.code(422).send(refusalOf(issues, isWhole ? items.length : null));
      }
      const specs = items.map(({ terms }) => terms);
      const list = { specs, references: query.uniqueReference ? 'unique' : undefined } as const;
      if (preview) {
        const planned = await previewOf(list, context, scope);
        return reply.code(200).send({ ...planned, ...told(notes) });
      }
      const created = await createFrom(list, event, context, scope);
      return reply.code(201).send({ ...created, ...told(notes) });
    },
  );
}

/** What the rows of a list ask for. */
interface ListedTickets {
  readonly specs: readonly TicketTerms[];
  readonly references: 'unique' | undefined;
}

async function createFrom(
  { specs, references }: ListedTickets,
  event: EventRecord,
  context: AdminContext,
  scope: AccountScope,
): Promise<z.output<typeof CreatedFromList>> {
  const now = context.clock.now();
  const batch = makeBatchId(context.random);
  const made = specs.map((terms) => ({
    ...terms,
    id: makeTicketId(event.id, context.random),
    eventId: event.id,
    createdAt: now,
    batch,
  }));
  const administration = administrationOf({ ...context, scope });
  const { known } = await administration.add(event, made, { batch }, references);
  const stored = known === 0 ? made : await thoseStored(context.store, made);
  const keys = context.keyring();
  return { items: stored.map((ticket) => withCode({ ...ticket, ...UNUSED }, keys, now)), known };
}

/** Those of the tickets that the store took, in their order. */
async function thoseStored<Made extends { readonly id: string }>(
  store: Pick<RecordStore, 'findTickets'>,
  made: readonly Made[],
): Promise<Made[]> {
  const found = await store.findTickets(made.map(({ id }) => id));
  const ids = new Set(found.map(({ id }) => id));
  return made.filter(({ id }) => ids.has(id));
}

async function previewOf(
  { specs, references }: ListedTickets,
  { store, clock }: AdminContext,
  scope: AccountScope,
): Promise<z.output<typeof ListPreview>> {
  const now = clock.now();
  const ended = specs.filter((ticket) => hasEnded(ticket, now)).length;
  if (references === undefined) return { tickets: specs.length, ended, known: 0 };
  const given = specs.flatMap(({ reference }) => reference ?? []);
  let known = 0;
  // Each row has a reference of its own. Scans are answered between two questions.
  for (let from = 0; from < given.length; from += REFERENCES_AT_ONCE) {
    const some = given.slice(from, from + REFERENCES_AT_ONCE);
    known += (await store.knownReferences(scope.organisationId, some)).length;
  }
  return { tickets: specs.length, ended, known };
}

/** Which heading each column has, which headings to leave out, and what the names of types mean. */
function readingFrom({ columns = {}, types = {} }: Pick<ListReading, 'columns' | 'types'>) {
  const pairs = Object.entries(columns);
  const named = pairs.flatMap(([heading, column]) => (column ? [[column, heading]] : []));
  const ignored = pairs.filter(([, column]) => column === null).map(([heading]) => heading);
  const kinds = Object.entries(types).map(([text, kind]) => [meaningKey(text), kind] as const);
  const headings: ColumnHeadings = Object.fromEntries(named);
  return { headings, ignored, meanings: { type: new Map(kinds) } };
}

/** @param good how many tickets the rows without an issue are; null when not every row was read */
function refusalOf(
  issues: readonly RowIssue[],
  good: number | null,
): z.output<typeof ImportRefused> {
  const groups = groupedIssues(issues.toSorted((a, b) => a.line - b.line)).slice(0, FAULTS_SHOWN);
  const count = groups.reduce((sum, group) => sum + group.count, 0);
  const faults = groups.map(({ lines, count: times, ...issue }) => {
    const { reason, values, ...words } = shortened(issue);
    const explained = { ...(reason && { code: reason }), ...(values && { values }) };
    return { ...words, lines: [...lines], count: times, ...explained };
  });
  const atLeast = good === null ? 'at least ' : '';
  const message = `Nothing was stored: ${atLeast}${counted(count, 'issue')} in the list.`;
  const badLines = good === null ? [] : [...new Set(issues.map(({ line }) => line))];
  return { message, code: 'list_refused', good, badLines: badLines.sort((a, b) => a - b), faults };
}
