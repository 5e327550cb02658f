import { refuse, TicketscanError } from '../../core/errors.ts';
import type { CancelledColumn } from './cancelled-column.ts';
import { meaningKey, oneTicketFrom, quantityFrom } from './chosen-rows.ts';
import type { TableOptions } from './match-columns.ts';
import { asNamed } from './named-parts.ts';
import { type ListFormat, type RawRow, type RowOrIssue, readRows } from './read-rows.ts';
import type { ByteSource, Encoding, Guess } from './read-text.ts';
import { IssueGroups, issueAt, type RowIssue } from './row-issues.ts';
import { type RowOptions, RowPlan } from './row-plan.ts';
import type { SheetFacts } from './worksheet.ts';

/** Reads the cells of a row, and collects what is wrong with them. */
export class CellReader {
  readonly row: RawRow;
  readonly issues: RowIssue[] = [];

  constructor(row: RawRow) {
    this.row = row;
  }

  /**
   * What `convert` makes of the text of a cell.
   * @returns undefined when it throws a `TicketscanError`, which is then the one issue of that column
   */
  read<Value>(column: string, convert: (text: string) => Value): Value | undefined {
    return this.readText(column, this.row.cells.get(column), convert);
  }

  /** The same of a text that is in no column of its own. @param column undefined: nothing is read */
  readText<Value>(
    column: string | undefined,
    text: string | undefined,
    convert: (text: string) => Value,
  ): Value | undefined {
    const { line } = this.row;
    if (column === undefined) return undefined;
    if (this.issues.some((issue) => issue.column === column)) return undefined;
    try {
      return convert(text ?? '');
    } catch (error) {
      if (!(error instanceof TicketscanError)) throw error;
      this.issues.push(issueAt(line, column, error));
      return undefined;
    }
  }
}

/** The meaning of texts in columns, by the name of the column and the `meaningKey` of the text. */
export type ValueMaps = Readonly<Record<string, ReadonlyMap<string, string>>>;

/** The options for reading a list of tickets, for any purpose. */
export interface ReadOptions
  extends Pick<TableOptions, 'ignored' | 'headings' | 'kept'>,
    RowOptions {
  readonly format: ListFormat;
  readonly meanings?: ValueMaps | undefined;
  /** The encoding of CSV; JSON is UTF-8. */
  readonly encoding?: Encoding | undefined;
  /** The sheet of a workbook; the first that is not hidden without it. */
  readonly worksheet?: string | undefined;
  /** Reading stops at this number of different issues, or of tickets: the rest would not change the answer. */
  readonly bounds?: { readonly issuesMax: number; readonly ticketsMax: number };
}

/** The items of a list, and everything that is wrong with its rows. */
export interface ReadList<Item> {
  readonly items: Item[];
  readonly issues: RowIssue[];
  /** Notes for a person who did not look at each row. */
  readonly notes: string[];
  /** The columns that somebody named for cancelled rows, and what they have besides. */
  readonly cancelledColumns: readonly CancelledColumn[];
  /** True when every row was read with headings that are all known: then each row is an item or has an issue. */
  readonly isWhole: boolean;
}

const UNBOUNDED = { issuesMax: Number.POSITIVE_INFINITY, ticketsMax: Number.POSITIVE_INFINITY };

interface ListTable extends Pick<TableOptions, 'columns' | 'required'> {
  /** True if each row is one ticket that exists. */
  readonly hasIds?: boolean;
}

/**
 * @param itemOf a row, and whether it says of itself that it was cancelled; what it returns for a row with issues is not taken
 * @throws TicketscanError `usage` when rows were to be chosen and none was
 */
export async function readList<Item>(
  source: string | ByteSource,
  { hasIds = false, ...table }: ListTable,
  { format, encoding, worksheet, meanings = {}, bounds = UNBOUNDED, ...options }: ReadOptions,
  itemOf: (cells: CellReader, isCancelled: boolean) => Item | undefined,
): Promise<ReadList<Item>> {
  const list = { items: [] as Item[], issues: [] as RowIssue[], notes: [] as string[] };
  let isWhole = true;
  const different = new IssueGroups();
  const plan = new RowPlan({ ...options, mayBeNone: !hasIds });
  const take = (raw: RawRow, hasUnknown: boolean): readonly RowIssue[] => {
    const { row, isTaken, isCancelled, quantity } = plan.read(raw);
    if (!isTaken) return [];
    const cells = new CellReader(withMeanings(row, meanings));
    const item = itemOf(cells, isCancelled);
    const read = hasIds ? oneTicketFrom : quantityFrom;
    const times = cells.readText(quantity?.heading, quantity?.text, read) ?? 1;
    // What is missing may be in the unknown column.
    if (hasUnknown) return cells.issues.filter(({ column }) => row.cells.has(column ?? ''));
    if (item === undefined || cells.issues.length > 0) return cells.issues;
    return addItems(list.items, Array<Item>(times).fill(item), row.line, bounds.ticketsMax);
  };
  const onGuess = (guess: Guess) => list.notes.push(guessInWords(guess));
  const onSheet = (facts: SheetFacts) =>
    list.notes.push(...sheetNotes(facts, worksheet, options.ignored));
  const onLeftOut = (headings: readonly string[]) => list.notes.push(leftOutInWords(headings));
  const { headings: kept, optional } = plan;
  const read = { ...table, ...options, kept, optional, onLeftOut };
  const reading = { encoding, worksheet, onGuess, onSheet };
  for await (const one of readRows(source, format, read, reading)) {
    const found = 'issue' in one ? [one.issue] : take(one.row, one.hasUnknown);
    list.issues.push(...found.map((issue) => different.add(issue)));
    const isOver = different.size >= bounds.issuesMax || list.items.length > bounds.ticketsMax;
    isWhole = isWhole && !isOver && !isOfUnknown(one);
    if (isOver) break;
  }
  list.notes.push(...plan.end());
  return { ...list, cancelledColumns: plan.cancelledColumns(), isWhole };
}

/** Adds the items of a row. @returns an issue where they are too many, and then at most one too much */
function addItems<Item>(
  items: Item[],
  more: readonly Item[],
  line: number,
  max: number,
): readonly RowIssue[] {
  items.push(...more.slice(0, Math.max(0, max + 1 - items.length)));
  return items.length <= max ? [] : [issueAt(line, null, refuse('rows_max', { max }))];
}

function leftOutInWords(headings: readonly string[]): string {
  return `Columns left out, because the map does not know them: ${headings.map(asNamed).join(', ')}.`;
}

function isOfUnknown(one: RowOrIssue): boolean {
  return 'row' in one && one.hasUnknown;
}

const GUESS_CHARACTERS = 60;

function guessInWords({ line, text }: Guess): string {
  const shown = text.length <= GUESS_CHARACTERS ? text : `${text.slice(0, GUESS_CHARACTERS)}…`;
  return `The list is read as Windows-1252, such as line ${line}: "${shown}". If letters are wrong, save it as UTF-8.`;
}

/** What a person who sees the workbook may not expect. @param asked the sheet that was named @param ignored the headings that are not read */
function sheetNotes(
  { worksheet, otherWorksheets, hiddenRows, hiddenColumns }: SheetFacts,
  asked: string | undefined,
  ignored: readonly string[],
): string[] {
  const notes: string[] = [];
  if (asked === undefined && otherWorksheets.length > 0) {
    const others = otherWorksheets.map((name) => `"${name}"`).join(', ');
    notes.push(
      `The sheet "${worksheet}" is read. The workbook also has ${others}: --worksheet NAME.`,
    );
  }
  if (hiddenRows > 0) {
    const rows = hiddenRows === 1 ? '1 row is' : `${hiddenRows} rows are`;
    notes.push(`${rows} hidden in the sheet "${worksheet}" and read too.`);
  }
  const columns = hiddenColumns.filter((name) => !ignored.includes(name));
  if (columns.length > 0) {
    const names = columns.map((name) => `"${name}"`).join(', ');
    const are = columns.length === 1 ? `column ${names} is` : `columns ${names} are`;
    notes.push(`The ${are} hidden in the sheet "${worksheet}" and read too.`);
  }
  return notes;
}

/** Returns the row with its texts replaced by their meanings. */
function withMeanings(row: RawRow, maps: ValueMaps): RawRow {
  const cells = new Map(row.cells);
  for (const [column, map] of Object.entries(maps)) {
    const meaning = map.get(meaningKey(cells.get(column) ?? ''));
    if (meaning !== undefined) cells.set(column, meaning);
  }
  return { ...row, cells };
}
