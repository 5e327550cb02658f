import * as z from 'zod';
import { makeBatchId } from '../../../core/ticket-id.ts';
import { defined } from '../../../kit/defined.ts';
import type { AdminApp } from '../../../operations/http/route.ts';
import type { ListFormat } from '../../../tickets/lists/read-rows.ts';
import type { ByteSource } from '../../../tickets/lists/read-text.ts';
import { readTicketList } from '../../../tickets/lists/ticket-list.ts';
import {
  ofUnknownEvents,
  storableRecords,
  storeImported,
} from '../../../tickets/making/import-tickets.ts';
import { type AdminContext, scopeOf } from '../../context.ts';
import type { AccountScope } from '../../scope.ts';
import { administrationOf } from '../operations.ts';
import { creationFromListRoute } from './from-list.ts';
import {
  FAULTS_SHOWN,
  ListPreview,
  ListReading,
  Notes,
  previewOfAll,
  REFUSED_LISTS,
  readingFrom,
  refusalOf,
  told,
} from './list-reading.ts';
import { formatFrom, IMPORT_TICKETS_MAX, LIST_TYPES, sourceFrom } from './list-source.ts';
import { workbookRoute } from './workbook.ts';

const tags = ['Tickets'];
/** What the formats are called in a query. */
const FORMATS = { csv: 'csv', jsonl: 'json' } as const;
const ImportQuery = ListReading.extend({
  /** The format; what the content type says, when it is left out. */
  format: z.enum(['csv', 'jsonl']).optional(),
  /** Skip tickets that already exist. */
  skipExisting: z.stringbool().default(false),
});

/** Read as it arrives, not as a whole. */
const ImportBody = z.unknown().meta({ description: 'a list in the format of the export' });
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
          ...REFUSED_LISTS,
        },
      },
    },
    async (request, reply) => {
      const { format: named, ...query } = request.query;
      const format = named === undefined ? formatFrom(request) : FORMATS[named];
      const options = { ...query, format };
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
    readonly format: ListFormat;
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
    const previewed = await previewOfAll(specs, references, context, scope);
    return { ...previewed, ...told(list.notes) };
  }
  const administration = administrationOf({ ...context, scope });
  const existing = skipExisting ? 'skip' : 'refuse';
  const stored = await storeImported(records, makeBatchId(random), (some) =>
    administration.import(some, { existing, ...defined({ references }) }),
  );
  return { ...stored, ...told(list.notes) };
}
