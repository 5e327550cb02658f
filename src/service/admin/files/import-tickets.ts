import type { EventRecord } from '../../../core/records.ts';
import {
  hasEnded,
  type NewTicket,
  type TicketKind,
  type ValidityWindow,
  windowFrom,
} from '../../../core/ticket.ts';
import { makeBatchId, makeTicketId } from '../../../core/ticket-id.ts';
import { checkTimeZone } from '../../../core/time-zone.ts';
import type { AccountScope } from '../../../operations/route.ts';
import type { ByteSource, Encoding } from '../../../tickets/lists/read-text.ts';
import type { ColumnHeadings } from '../../../tickets/lists/rows.ts';
import {
  groupedIssues,
  type IssueGroup,
  type RowIssue,
  shortened,
  type ValueMaps,
} from '../../../tickets/lists/rows.ts';
import { readSpecList, readTicketList } from '../../../tickets/lists/ticket-lists.ts';
import {
  alreadyThere,
  ofUnknownEvents,
  storeImported,
} from '../../../tickets/making/import-tickets.ts';
import type { TicketAdministration } from '../../manage/ticket-administration.ts';
import type { AdminContext } from '../admin-app.ts';
import { IMPORT_TICKETS_MAX, TICKETS_AT_ONCE_MAX } from '../wire/tickets.ts';

const FAULTS_SHOWN = 100;
const BOUNDS = { issuesMax: FAULTS_SHOWN, ticketsMax: IMPORT_TICKETS_MAX };

/** How to read the list, as the request asks. */
export interface ListReading {
  readonly encoding: Encoding;
  /** The column of a heading, or null for one to leave out. */
  readonly columns?: Readonly<Record<string, string | null>> | undefined;
  readonly timeZone: string;
  readonly types?: Readonly<Record<string, TicketKind>> | undefined;
  /** Stores nothing. */
  readonly preview: boolean;
}

export interface ImportOptions extends ListReading {
  readonly format: 'csv' | 'json';
  readonly skipExisting: boolean;
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

/** Stores the tickets of a list with their ids and uses, when every row is valid. */
export async function importTickets(
  scope: AccountScope,
  administration: TicketAdministration,
  source: ByteSource,
  { skipExisting, columns, types, preview, ...request }: ImportOptions,
  { store, clock, random }: AdminContext,
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
    return administration.import(scope.organisationId, named, { existing });
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
  { columns, encoding, timeZone, types, preview, type, uses }: ListReading & NewTicketDefaults,
  { clock, random }: AdminContext,
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

export interface NewTicketDefaults {
  readonly type: TicketKind;
  readonly uses?: number | undefined;
}

function refused(issues: readonly RowIssue[]): Extract<ImportResult, { kind: 'refused' }> {
  const groups = groupedIssues([...issues].sort((a, b) => a.line - b.line));
  const shown = groups.slice(0, FAULTS_SHOWN);
  return {
    kind: 'refused',
    faults: shown.map((group) => ({ ...group, ...shortened(group) })),
  };
}
