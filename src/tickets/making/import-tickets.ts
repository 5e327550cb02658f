import type { Ticket } from '../../core/ticket.ts';
import { checkTimeZone } from '../../core/time-zone.ts';
import type { ColumnHeadings } from '../lists/columns.ts';
import { readCsv } from '../lists/read-csv.ts';
import { readJson } from '../lists/read-json.ts';
import type { ByteSource, Encoding } from '../lists/read-text.ts';
import { IssueGroups, type RowIssue } from '../lists/row-issue.ts';
import { RECORD_COLUMNS, recordFromRow, type TicketRecord } from '../lists/ticket-record.ts';
import { type ValueMaps, withMeanings } from '../lists/value-map.ts';
import { inIndexOrder } from './index-order.ts';

/** Some 8 ms of a store's only writer, while guests wait at the gates. */
const STORED_AT_ONCE = 1000;

/** How a list of tickets that exist already is read. */
export interface ListOptions {
  readonly format: 'csv' | 'json';
  /** Columns to leave out. */
  readonly ignored: readonly string[];
  /** Of columns whose heading is not known. */
  readonly headings?: ColumnHeadings | undefined;
  /** What texts of its columns mean; as they are by default. */
  readonly meanings?: ValueMaps | undefined;
  /** Of CSV; JSON is UTF-8. */
  readonly encoding?: Encoding | undefined;
  /** Of times without one. */
  readonly timeZone: string;
  /** The names of events by their ids: rows may name an event by either. */
  readonly eventNames?: ReadonlyMap<string, string> | undefined;
  /** The time of creation for rows that do not say it, in milliseconds since 1970 UTC. */
  readonly now: number;
  /** Reading stops at this number of different issues, or of tickets: the rest would not change the answer. */
  readonly bounds?: { readonly faultsMax: number; readonly ticketsMax: number };
}

const UNBOUNDED = { faultsMax: Number.POSITIVE_INFINITY, ticketsMax: Number.POSITIVE_INFINITY };

/** The tickets of a list and everything that is wrong with its rows. @throws TicketscanError `usage` */
export async function readTicketList(
  source: string | ByteSource,
  options: ListOptions,
): Promise<{ records: TicketRecord[]; faults: RowIssue[] }> {
  const { format, ignored, headings, encoding, meanings = {}, bounds = UNBOUNDED } = options;
  const table = { columns: RECORD_COLUMNS, ignored, headings, required: 'ticketId' };
  const rows = format === 'csv' ? readCsv(source, table, encoding) : readJson(source, table);
  const context = { ...options, timeZone: checkTimeZone(options.timeZone) };
  const records = new Map<string, TicketRecord>();
  const issues: RowIssue[] = [];
  const different = new IssueGroups();
  for await (const one of rows) {
    const made =
      'fault' in one
        ? { faults: [one.fault] }
        : recordFromRow(withMeanings(one.row, meanings), context);
    const found = 'faults' in made ? made.faults : added(records, made.record, bounds.ticketsMax);
    for (const issue of found) issues.push(different.add(issue));
    if (different.size >= bounds.faultsMax || records.size > bounds.ticketsMax) break;
  }
  return { records: [...records.values()], faults: issues };
}

/** Adds a record to those of the list, or says why not. */
function added(
  records: Map<string, TicketRecord>,
  record: TicketRecord,
  ticketsMax: number,
): RowIssue[] {
  const { line, ticket } = record;
  const earlier = records.get(ticket.id);
  if (earlier) {
    const message = `this ticket is also on line ${earlier.line}`;
    const values = { line: earlier.line };
    return [{ line, column: 'ticketId', message, reason: 'row_twice', values }];
  }
  records.set(ticket.id, record);
  if (records.size <= ticketsMax) return [];
  const message = `one import has at most ${ticketsMax} tickets; send the list in parts`;
  return [{ line, column: null, message, reason: 'rows_max', values: { max: ticketsMax } }];
}

/** The records whose event is not among these, by its id. */
export function ofUnknownEvents(
  records: readonly TicketRecord[],
  events: readonly { readonly id: string }[],
): Map<string, TicketRecord[]> {
  const known = new Set(events.map(({ id }) => id));
  return Map.groupBy(
    records.filter(({ ticket }) => !known.has(ticket.eventId)),
    ({ ticket }) => ticket.eventId,
  );
}

/** Where imported tickets are looked up. */
export interface TicketFinder {
  /** Those that there are, in any order. */
  findTickets(ticketIds: readonly string[]): Promise<readonly { readonly id: string }[]>;
}

/** The records whose ticket is there already. */
export async function alreadyThere(
  store: TicketFinder,
  records: readonly TicketRecord[],
): Promise<Set<TicketRecord>> {
  const there = new Set<string>();
  for (const batch of batchesOf(inIndexOrder(records))) {
    const found = await store.findTickets(batch.map(({ ticket }) => ticket.id));
    for (const { id } of found) there.add(id);
  }
  return new Set(records.filter(({ ticket }) => there.has(ticket.id)));
}

/**
 * Stores the tickets in batches, each as a whole or not at all.
 * @param store resolves with how many tickets of a batch it skipped because they exist
 * @param onBatch called before each batch with the number of stored tickets; when it throws, no further batch begins
 */
export async function storeImported(
  records: readonly TicketRecord[],
  store: (tickets: readonly Ticket[]) => Promise<number>,
  onBatch: (count: number) => void = () => {},
): Promise<{ imported: number; existing: number }> {
  let existing = 0;
  let done = 0;
  const batches = batchesOf(inIndexOrder(records));
  let batch = nextTickets(batches);
  while (batch) {
    onBatch(done);
    const storing = store(batch);
    done += batch.length;
    batch = nextTickets(batches);
    existing += await storing;
  }
  return { imported: records.length - existing, existing };
}

/** Copies: the tickets of a batch lie all over the memory, and are fetched from there while the store works on the batch before. */
function nextTickets(batches: Iterator<readonly TicketRecord[]>): Ticket[] | undefined {
  return batches.next().value?.map(({ ticket }: TicketRecord) => ({ ...ticket }));
}

function* batchesOf<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += STORED_AT_ONCE) {
    yield items.slice(start, start + STORED_AT_ONCE);
  }
}
