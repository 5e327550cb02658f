import * as z from 'zod';
import type { Clock } from '../../core/clock.ts';
import { USES_MULTI_MAX } from '../../core/limits.ts';
import type { EventRecord } from '../../core/records.ts';
import {
  hasEnded,
  type NewTicket,
  TICKET_KINDS,
  type ValidityWindow,
  windowFrom,
} from '../../core/ticket.ts';
import { makeBatchId, makeTicketId } from '../../core/ticket-id.ts';
import { checkTimeZone } from '../../core/time-zone.ts';
import type { RandomBytes } from '../../kit/random.ts';
import type { ByteSource } from '../../tickets/lists/read-text.ts';
import {
  type ColumnHeadings,
  groupedIssues,
  type IssueGroup,
  type RowIssue,
  shortened,
  type ValueMaps,
} from '../../tickets/lists/rows.ts';
import { readSpecList, readTicketList } from '../../tickets/lists/ticket-lists.ts';
import {
  alreadyThere,
  ofUnknownEvents,
  storeImported,
} from '../../tickets/making/import-tickets.ts';
import type { OrganisationScope, ScopeDeps } from '../context.ts';
import type { TicketAdministration } from './administration.ts';

/** Rows of one import: they are checked as a whole before the first is stored. */
export const IMPORT_TICKETS_MAX = 20_000;
export const TICKETS_AT_ONCE_MAX = 1000;
const FAULTS_SHOWN = 100;
const BOUNDS = { issuesMax: FAULTS_SHOWN, ticketsMax: IMPORT_TICKETS_MAX };

/** How a list is read. */
const ListReading = z.object({
  /** Stores nothing and says what the list holds. */
  preview: z.stringbool().default(false),
  /** A JSON object: types that are not known, and what they are here. */
  types: jsonOf(z.record(z.string(), z.enum(TICKET_KINDS)), '{"Season":"permanent"}').optional(),
  /** Of CSV; `latin1` is Windows-1252, and `auto` decides by the bytes. */
  encoding: z.enum(['utf-8', 'latin1', 'auto']).default('utf-8'),
  /** A JSON object: for headings that are not known, the name of their column, or null to leave it out. */
  columns: jsonOf(
    z.record(z.string(), z.string().nullable()),
    '{"Name":"lastName","E-Mail":null}',
  ).optional(),
  /** Of times without one. */
  timeZone: z.string().default('UTC'),
});
type ListReading = z.output<typeof ListReading>;

export const ImportQuery = ListReading.extend({
  /** Without it, what the content type says. */
  format: z.enum(['csv', 'jsonl']).optional(),
  /** Skip tickets that already exist. */
  skipExisting: z.stringbool().default(false),
});

/** A list of people who get a ticket each. */
export const NewTicketsQuery = ListReading.extend({
  event: z.string(),
  /** Of rows that name none. */
  type: z.enum(TICKET_KINDS).default('single'),
  /** Of multi-use cards whose row has none. */
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

export type ImportResult =
  | {
      readonly kind: 'imported';
      readonly imported: number;
      readonly existing: number;
      /** Of the tickets whose row names none; absent when there are none. */
      readonly batch?: string;
    }
  | { readonly kind: 'preview'; readonly tickets: number; readonly ended: number }
  /** Nothing was stored. */
  | { readonly kind: 'refused'; readonly faults: readonly IssueGroup[] };

/** An issue of a row, as an answer has it. */
export function issueToJson({ reason, values, ...issue }: IssueGroup) {
  return { ...issue, ...(reason && { code: reason }), ...(values && { values }) };
}

type ImportOptions = Omit<z.output<typeof ImportQuery>, 'format'> & {
  readonly format: 'csv' | 'json';
};

/** Stores the tickets of a list with their ids and uses, when every row is valid. */
export async function importTickets(
  scope: OrganisationScope,
  administration: TicketAdministration,
  source: ByteSource,
  { skipExisting, columns, types, preview, ...request }: ImportOptions,
  { store, clock, random }: ScopeDeps,
): Promise<ImportResult> {
  const now = clock.now();
  const meanings = meaningsOf(types);
  const options = { ...request, ...headingsFrom(columns), meanings, now, bounds: BOUNDS };
  const { records, issues } = await readTicketList(source, options);
  for (const [eventId, rows] of ofUnknownEvents(records, await scope.events())) {
    const message = `unknown event ${eventId}`;
    const explanation = { reason: 'row_unknown_event', values: { event: eventId } } as const;
    for (const { line } of rows) issues.push({ line, column: 'event', message, ...explanation });
  }
  if (issues.length === 0 && !skipExisting) {
    const message = 'this ticket already exists';
    for (const { line } of await alreadyThere(store, records))
      issues.push({ line, column: 'ticketId', message, reason: 'row_existing' });
  }
  if (issues.length > 0) return refused(issues);
  if (preview)
    return previewOf(
      records.map(({ ticket }) => ticket),
      now,
    );
  const existing = skipExisting ? 'skip' : 'refuse';
  const batch = makeBatchId(random);
  const stored = await storeImported(records, (tickets) => {
    const named = tickets.map((ticket) => ({ batch, ...ticket }));
    return administration.import(named, { existing });
  });
  const isNamed = stored.imported > 0 && records.some(({ ticket }) => ticket.batch === undefined);
  return { kind: 'imported', ...stored, ...(isNamed && { batch }) };
}

function meaningsOf(types: ListReading['types'] = {}): ValueMaps {
  const pairs = Object.entries(types);
  return { type: new Map(pairs.map(([text, kind]) => [text.trim().toLowerCase(), kind])) };
}

function previewOf(tickets: readonly ValidityWindow[], now: number) {
  const ended = tickets.filter((ticket) => hasEnded(ticket, now)).length;
  return { kind: 'preview', tickets: tickets.length, ended } as const;
}

/** Which heading each column has, and which headings to leave out. */
function headingsFrom(columns: ListReading['columns'] = {}) {
  const pairs = Object.entries(columns);
  const named = pairs.flatMap(([heading, column]) => (column ? [[column, heading]] : []));
  const ignored = pairs.filter(([, column]) => column === null).map(([heading]) => heading);
  return { headings: Object.fromEntries(named) as ColumnHeadings, ignored };
}

/** Makes one ticket for each row of a list, when every row is valid. */
export async function createFromList(
  administration: TicketAdministration,
  event: EventRecord,
  source: ByteSource,
  { columns, encoding, timeZone, types, preview, type, uses }: z.output<typeof NewTicketsQuery>,
  { clock, random }: { readonly clock: Clock; readonly random: RandomBytes },
): Promise<readonly NewTicket[] | Extract<ImportResult, { kind: 'refused' | 'preview' }>> {
  const window = windowFrom({}, Number);
  const { specs, issues } = await readSpecList(source, {
    ...{ format: 'csv', encoding, ...headingsFrom(columns), meanings: meaningsOf(types), event },
    defaults: { kind: type, uses, window, timeZone: checkTimeZone(timeZone) },
    bounds: { issuesMax: FAULTS_SHOWN, ticketsMax: TICKETS_AT_ONCE_MAX },
  });
  if (issues.length === 0 && specs.length === 0) issues.push(NO_ROWS);
  if (issues.length > 0) return refused(issues);
  const createdAt = clock.now();
  if (preview) return previewOf(specs, createdAt);
  const tickets = specs.map((terms) => ({
    ...{ ...terms, id: makeTicketId(event.id, random), eventId: event.id, createdAt },
  }));
  await administration.add(event, tickets);
  return tickets;
}

const NO_ROWS: RowIssue = {
  ...{ line: 1, column: null, message: 'the list has no rows' },
  reason: 'list_empty',
};

function refused(faults: readonly RowIssue[]): Extract<ImportResult, { kind: 'refused' }> {
  const groups = groupedIssues([...faults].sort((a, b) => a.line - b.line));
  const shown = groups.slice(0, FAULTS_SHOWN);
  return {
    kind: 'refused',
    faults: shown.map((group) => ({ ...group, ...shortened(group) })),
  };
}
