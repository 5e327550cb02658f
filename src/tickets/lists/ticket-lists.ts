import type { TicketTerms } from '../../core/ticket.ts';
import { checkTimeZone } from '../../core/time-zone.ts';
import { type ListFormat, readRows } from './read-rows.ts';
import type { ByteSource, Encoding } from './read-text.ts';
import {
  type ColumnHeadings,
  IssueGroups,
  type RawRow,
  type RowIssue,
  type TableOptions,
  type ValueMaps,
  withMeanings,
} from './rows.ts';
import {
  NEW_TICKET_COLUMNS,
  type NewTicketContext,
  RECORD_COLUMNS,
  type RecordContext,
  recordFromRow,
  type TicketRecord,
  termsFromRow,
} from './ticket-rows.ts';

/** How a list of tickets is read, whatever they become. */
interface ReadOptions {
  readonly format: ListFormat;
  /** Columns to leave out. */
  readonly ignored: readonly string[];
  /** Of columns whose heading is not known. */
  readonly headings?: ColumnHeadings | undefined;
  /** What texts of its columns mean; as they are by default. */
  readonly meanings?: ValueMaps | undefined;
  /** Of CSV; JSON is UTF-8. */
  readonly encoding?: Encoding | undefined;
  /** Reading stops at this number of different issues, or of tickets: the rest would not change the answer. */
  readonly bounds?: { readonly issuesMax: number; readonly ticketsMax: number };
}

const UNBOUNDED = { issuesMax: Number.POSITIVE_INFINITY, ticketsMax: Number.POSITIVE_INFINITY };

/** The tickets of a list that exist already, and everything that is wrong with its rows. @throws TicketscanError `usage` */
export async function readTicketList(
  source: string | ByteSource,
  options: ReadOptions & RecordContext,
): Promise<{ records: TicketRecord[]; issues: RowIssue[] }> {
  const context = { ...options, timeZone: checkTimeZone(options.timeZone) };
  const { ticketsMax } = options.bounds ?? UNBOUNDED;
  const records = new Map<string, TicketRecord>();
  const add = (row: RawRow): readonly RowIssue[] => {
    const made = recordFromRow(row, context);
    return 'issues' in made ? made.issues : added(records, made.record, ticketsMax);
  };
  const columns = { columns: RECORD_COLUMNS, required: 'ticketId' };
  const issues = await readEach(source, columns, options, add, () => records.size);
  return { records: [...records.values()], issues };
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

interface SpecList {
  readonly specs: TicketTerms[];
  /** For each spec the cells of the kept headings. */
  readonly kept: (readonly string[])[];
  readonly issues: RowIssue[];
}

/** What tickets a list asks for, and everything that is wrong with its rows. @throws TicketscanError `usage` */
export async function readSpecList(
  source: string | ByteSource,
  options: ReadOptions & NewTicketContext & Pick<TableOptions, 'kept'>,
): Promise<SpecList> {
  const { ticketsMax } = options.bounds ?? UNBOUNDED;
  const specs: TicketTerms[] = [];
  const kept: (readonly string[])[] = [];
  const add = (row: RawRow): readonly RowIssue[] => {
    const made = termsFromRow(row, options);
    if ('issues' in made) return made.issues;
    specs.push(made.terms);
    kept.push(row.kept ?? []);
    return [];
  };
  const columns = { columns: NEW_TICKET_COLUMNS, kept: options.kept };
  const issues = await readEach(source, columns, options, add, () => specs.length);
  if (specs.length > ticketsMax) issues.push(tooManyRows(ticketsMax));
  return { specs, kept, issues };
}

function tooManyRows(ticketsMax: number): RowIssue {
  const message = `one list has at most ${ticketsMax} tickets; send it in parts`;
  const values = { max: ticketsMax };
  return { line: ticketsMax + 1, column: null, message, reason: 'rows_max', values };
}

/**
 * Hands each row to `add`, which takes it or says what is wrong with it.
 * @param count how many tickets were taken
 * @returns the issues of all rows
 */
async function readEach(
  source: string | ByteSource,
  columns: Omit<TableOptions, 'ignored' | 'headings'>,
  { format, ignored, headings, encoding, meanings = {}, bounds = UNBOUNDED }: ReadOptions,
  add: (row: RawRow) => readonly RowIssue[],
  count: () => number,
): Promise<RowIssue[]> {
  const issues: RowIssue[] = [];
  const different = new IssueGroups();
  const table = { ...columns, ignored, headings };
  for await (const one of readRows(source, format, table, encoding)) {
    const found = 'issue' in one ? [one.issue] : add(withMeanings(one.row, meanings));
    for (const issue of found) issues.push(different.add(issue));
    if (different.size >= bounds.issuesMax || count() > bounds.ticketsMax) break;
  }
  return issues;
}
