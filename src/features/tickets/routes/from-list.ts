import * as z from 'zod';
import { refuse } from '../../../core/errors.ts';
import { USES_MULTI_MAX } from '../../../core/limits.ts';
import type { EventRecord } from '../../../core/records.ts';
import { SHOP_NAMES } from '../../../core/shop-names.ts';
import { TICKET_KINDS, type TicketTerms, UNUSED } from '../../../core/ticket.ts';
import { isBatchId, makeBatchId, makeTicketId } from '../../../core/ticket-id.ts';
import { checkTimeZone } from '../../../core/time-zone.ts';
import type { AdminApp } from '../../../operations/http/route.ts';
import type { RecordStore } from '../../../stores/record-store.ts';
import type { ListFormat } from '../../../tickets/lists/read-rows.ts';
import type { ByteSource } from '../../../tickets/lists/read-text.ts';
import { issueAt } from '../../../tickets/lists/row-issues.ts';
import { readSpecList, type SpecList } from '../../../tickets/lists/ticket-list.ts';
import { type AdminContext, scopeOf } from '../../context.ts';
import type { AccountScope } from '../../scope.ts';
import { applyUpdate, type ListUpdate, otherNumbersOf, planUpdate } from '../list-update.ts';
import { administrationOf, CreatedTickets, withCode } from '../operations.ts';
import { TICKETS_AT_ONCE_MAX } from '../rules.ts';
import { likelyShop, shopMapOf } from '../shop-maps.ts';
import {
  CancelledColumns,
  CHANGES_SHOWN,
  changesView,
  FAULTS_SHOWN,
  freshOf,
  jsonOf,
  ListPreview,
  ListReading,
  Notes,
  OtherNumbers,
  otherNumbersView,
  previewOf,
  REFUSED_LISTS,
  readingFrom,
  refusalOf,
  told,
} from './list-reading.ts';
import { formatFrom, IMPORT_TICKETS_MAX, LIST_TYPES, sourceFrom } from './list-source.ts';

/** No list of one request changes more tickets. */
const CHANGES_SHOWN_MAX = 20_000;
const Values = z.record(z.string(), z.array(z.string()).min(1));
/** A list of people who get a ticket each. */
const NewTicketsQuery = ListReading.extend({
  event: z.string(),
  /** The kind of rows that name none. */
  type: z.enum(TICKET_KINDS).default('single'),
  /** The uses of multi-use cards whose row has none. */
  uses: z.coerce.number().int().min(1).max(USES_MULTI_MAX).optional(),
  /** The shop that exported the list: what its columns and values mean. */
  map: z.enum(SHOP_NAMES).optional(),
  /** A JSON object: by heading, the values of rows that count. */
  only: jsonOf(Values, '{"Status":["paid"]}').optional(),
  /** A JSON object: by heading, the values of rows that were cancelled; they make no ticket. */
  cancelled: jsonOf(Values, '{"Status":["cancelled"]}').optional(),
  /** Also take over names, windows and cancellations of tickets that are there. Implies `uniqueReference`. */
  update: z.stringbool().default(false),
  /** The heading of the column that says how many tickets a row stands for. */
  quantity: z.string().max(200).optional(),
  /** The batch of the new tickets; one of their own, when it is left out. */
  batch: z.string().refine(isBatchId, 'expected a batch, such as bat_0123456789').optional(),
  /** How many changes a preview shows one by one. */
  changesShown: z.coerce.number().int().min(0).max(CHANGES_SHOWN_MAX).default(CHANGES_SHOWN),
});

type NewTicketsQuery = z.output<typeof NewTicketsQuery>;

const NewTicketsList = z
  .unknown()
  .meta({ description: 'CSV with headings, JSON Lines or a workbook' });
export const CreatedFromList = CreatedTickets.extend({
  known: z.number().int().meta({ description: 'rows that were skipped: their reference is known' }),
  changed: z.number().int().meta({ description: 'tickets that `update` changed' }),
  cancelled: z.number().int().meta({ description: 'tickets that `update` cancelled' }),
  otherNumbers: OtherNumbers,
  cancelledColumns: CancelledColumns,
  notes: Notes,
}).meta({ id: 'CreatedFromList' });
/** Creates tickets of a list of people, and with `update` changes those that are there. */
export function creationFromListRoute(app: AdminApp, context: AdminContext): void {
  app.post(
    '/tickets/from-list',
    {
      config: { access: 'operator', share: 'uploads' },
      schema: {
        tags: ['Tickets'],
        operationId: 'createTicketsFromList',
        summary: 'Create one ticket for each row of a list of people',
        description:
          'The body is CSV, JSON Lines (`application/x-ndjson`) or a workbook (`.xlsx`) with headings such as firstName and lastName, in English or German. Nothing is stored unless every row is valid. At most 1,000 rows; with `uniqueReference` or `update` at most 20,000, of which 1,000 are new or changed. With `update`, the list may be sent again and again: tickets with the reference of a row take over its name, validity and cancellation; an empty cell changes nothing, and no ticket is reinstated.',
        consumes: LIST_TYPES,
        querystring: NewTicketsQuery,
        body: NewTicketsList,
        response: {
          200: ListPreview,
          201: CreatedFromList,
          ...REFUSED_LISTS,
        },
      },
    },
    async (request, reply) => {
      const scope = scopeOf(request, context);
      const event = await scope.event(request.query.event);
      const { preview } = request.query;
      const format = formatFrom(request);
      const list = await listFrom(sourceFrom(request), format, event, request.query);
      const update = await updateOf(list, event, request.query, context);
      if (list.issues.length > 0)
        return reply.code(422).send({
          ...refusalOf(list.issues, goodRowsOf(list)),
          shop: request.query.map ? undefined : likelyShop(list.issues),
        });
      const references = isUnique(request.query) ? ('unique' as const) : undefined;
      const specs = list.items.map(({ terms }) => terms);
      const fresh = await freshOf(specs, references, context, scope);
      const { changed = [], cancelled = [] } = update ?? {};
      const cancelledRows = list.cancelled.length;
      refuseMore(fresh.length + changed.length);
      const noticed = await noticedIn(list, update, event, request.query, context);
      if (preview) {
        const planned = previewOf(specs, fresh.length, context.clock.now());
        const changes = update && { changes: changesView(update, request.query.changesShown) };
        return reply.code(200).send({ ...planned, cancelledRows, ...changes, ...noticed });
      }
      await applyUpdate(administrationOf({ ...context, scope }), { changed, cancelled });
      const created = await createFrom(fresh, request.query, event, context, scope);
      const known = specs.length - created.items.length;
      const counts = { changed: changed.length, cancelled: cancelled.length };
      return reply.code(201).send({ ...created, known, ...counts, ...noticed });
    },
  );
}

/** What somebody should know who sent the list, where there is something. */
async function noticedIn(
  { items, notes, cancelledColumns: columns }: SpecList,
  update: ListUpdate | undefined,
  event: EventRecord,
  query: NewTicketsQuery,
  { store }: AdminContext,
) {
  const numbers = isUnique(query)
    ? (update?.otherNumbers ?? (await otherNumbersOf(store, event, items)))
    : [];
  const cancelledColumns = columns.map(({ counting, unseen, ...column }) => ({
    ...column,
    counting: [...counting],
    unseen: [...unseen],
  }));
  return {
    ...otherNumbersView(numbers, query.changesShown),
    ...(columns.length > 0 && { cancelledColumns }),
    ...told(notes),
  };
}

/** @throws TicketscanError `usage` for more new and changed tickets than one request works on */
function refuseMore(count: number): void {
  if (count <= TICKETS_AT_ONCE_MAX) return;
  throw refuse('list_changes_max', { count, max: TICKETS_AT_ONCE_MAX });
}

function isUnique({
  uniqueReference,
  update,
}: Pick<NewTicketsQuery, 'uniqueReference' | 'update'>): boolean {
  return uniqueReference || update;
}

function listFrom(
  source: ByteSource,
  format: ListFormat,
  event: EventRecord,
  { type: kind, uses, map, ...query }: NewTicketsQuery,
): Promise<SpecList> {
  const timeZone = checkTimeZone(query.timeZone);
  return readSpecList(source, {
    format,
    encoding: query.encoding,
    worksheet: query.worksheet,
    quantity: query.quantity,
    ...readingFrom(query),
    map: map && shopMapOf(map),
    only: choicesIn(query.only),
    cancelled: choicesIn(query.cancelled),
    uniqueReference: isUnique(query),
    event,
    defaults: { kind, uses, window: { validFrom: null, validUntil: null }, timeZone },
    bounds: {
      issuesMax: FAULTS_SHOWN,
      // Most rows of a list that comes again are known.
      ticketsMax: isUnique(query) ? IMPORT_TICKETS_MAX : TICKETS_AT_ONCE_MAX,
    },
  });
}

function choicesIn(values: Readonly<Record<string, readonly string[]>> = {}) {
  return Object.entries(values).map(([heading, some]) => ({ heading, values: some }));
}

/** What the list changes of tickets that are there, when it can be read. What cannot be changed becomes an issue of it. */
async function updateOf(
  list: SpecList,
  event: EventRecord,
  { update }: NewTicketsQuery,
  { store }: AdminContext,
): Promise<ListUpdate | undefined> {
  const { issues, items, cancelled } = list;
  if (issues.length === 0 && items.length + cancelled.length === 0)
    issues.push(issueAt(1, null, refuse('list_empty')));
  if (!update || issues.length > 0) return undefined;
  const planned = await planUpdate(store, event, list);
  issues.push(...planned.issues);
  return planned;
}

/** How many tickets the other rows are; null when not every row was read. */
function goodRowsOf({ items, issues, isWhole }: SpecList): number | null {
  if (!isWhole) return null;
  const bad = new Set(issues.map(({ line }) => line));
  return items.filter(({ line }) => !bad.has(line)).length;
}

async function createFrom(
  specs: readonly TicketTerms[],
  query: NewTicketsQuery,
  event: EventRecord,
  context: AdminContext,
  scope: AccountScope,
): Promise<z.output<typeof CreatedTickets>> {
  if (specs.length === 0) return { items: [] };
  const now = context.clock.now();
  const { batch = makeBatchId(context.random) } = query;
  const made = specs.map((terms) => ({
    ...terms,
    id: makeTicketId(event.id, context.random),
    eventId: event.id,
    createdAt: now,
    batch,
  }));
  const administration = administrationOf({ ...context, scope });
  const references = isUnique(query) ? ('unique' as const) : undefined;
  const { known } = await administration.add(event, made, { batch }, references);
  // Another program may have brought some of them meanwhile.
  const stored = known === 0 ? made : await thoseStored(context.store, made);
  const keys = context.keyring();
  return { items: stored.map((ticket) => withCode({ ...ticket, ...UNUSED }, keys, now)) };
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
