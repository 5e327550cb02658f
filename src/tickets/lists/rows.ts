import type { ErrorValues, Explanation } from '../../core/error-reasons.ts';
import { explanationOf, TicketscanError } from '../../core/errors.ts';
import { didYouMean } from '../../kit/nearest.ts';

/** One thing wrong in a file of rows, where a person finds it. */
export interface RowIssue extends Explanation {
  /** From 1, as an editor counts. */
  readonly line: number;
  /** Name of the column; null when the row as a whole is wrong. */
  readonly column: string | null;
  readonly message: string;
}

/** A row as it is in the file: texts by the name of their column. */
export interface RawRow {
  readonly line: number;
  readonly cells: ReadonlyMap<string, string>;
  /** Of the headings whose cells are handed on unread. */
  readonly kept?: readonly string[];
}

/** What a file of rows yields: rows that can be read and issues, in the order of the file. */
export type RowOrIssue = { readonly row: RawRow } | { readonly issue: RowIssue };

/** Reads the cells of a row, and collects what is wrong with them. */
export class CellReader {
  readonly #row: RawRow;
  readonly issues: RowIssue[] = [];

  constructor(row: RawRow) {
    this.#row = row;
  }

  /**
   * What `convert` makes of the text of a cell.
   * @returns undefined when it throws a `TicketscanError`, which is then the one issue of that column
   */
  read<Value>(column: string, convert: (text: string) => Value): Value | undefined {
    const { cells, line } = this.#row;
    if (this.issues.some((issue) => issue.column === column)) return undefined;
    try {
      return convert(cells.get(column) ?? '');
    } catch (error) {
      if (!(error instanceof TicketscanError)) throw error;
      this.issues.push({ line, column, message: error.message, ...explanationOf(error) });
      return undefined;
    }
  }
}

const CHARACTERS_SHOWN = 300;

/** An issue that repeats a long cell, shortened for people. */
export function shortened({ line, column, message, reason, values }: RowIssue): RowIssue {
  const explanation = reason && { reason, values: values && cutValues(values) };
  return { line, column: column && cut(column), message: cut(message), ...explanation };
}

function cutValues(values: ErrorValues): ErrorValues {
  const short = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'string' ? cut(value) : value,
  ]);
  return Object.fromEntries(short);
}

function cut(text: string): string {
  return text.length <= CHARACTERS_SHOWN
    ? text
    : `${text.slice(0, CHARACTERS_SHOWN).toWellFormed()}…`;
}

/** The same issue on several lines. */
export interface IssueGroup extends RowIssue {
  /** The first of them. */
  readonly lines: readonly number[];
  readonly count: number;
}

const LINES_NAMED = 10;

/** Issues in the order of their first lines, equal ones once: a column that is wrong is wrong in each row. */
export class IssueGroups {
  readonly #groups = new Map<string, { issue: RowIssue; lines: number[]; count: number }>();

  get size(): number {
    return this.#groups.size;
  }

  add(issue: RowIssue): RowIssue {
    const { line, column, message, reason } = issue;
    // The ids of another shop differ in each row, but are one issue.
    const key = JSON.stringify([column, reason === 'row_ticket_id' ? reason : message]);
    const group = this.#groups.get(key) ?? { issue, lines: [], count: 0 };
    if (group.lines.length < LINES_NAMED) group.lines.push(line);
    group.count += 1;
    this.#groups.set(key, group);
    return issue;
  }

  all(): IssueGroup[] {
    return [...this.#groups.values()].map(({ issue, ...group }) => ({ ...issue, ...group }));
  }
}

export function groupedIssues(issues: readonly RowIssue[]): IssueGroup[] {
  const groups = new IssueGroups();
  for (const issue of issues) groups.add(issue);
  return groups.all();
}

/** `line 17, column uses: …`, and `lines 2, 3, … and 2990 more, column uses: …` */
export function issueInWords(issue: RowIssue & Partial<IssueGroup>): string {
  const { line, column, message } = shortened(issue);
  const { lines = [line], count = 1 } = issue;
  const more = count > lines.length ? ` and ${count - lines.length} more` : '';
  const where = `${count === 1 ? 'line' : 'lines'} ${lines.join(', ')}${more}`;
  return `${where}${column === null ? '' : `, column ${column}`}: ${message}`;
}

/** Headings by the name of their column. */
export type ColumnHeadings = Readonly<Record<string, string>>;

/** What columns a file of rows may have. */
export interface TableOptions {
  /** Names of the columns, each with other names for it. */
  readonly columns: Readonly<Record<string, readonly string[]>>;
  /** Headings to leave out. */
  readonly ignored: readonly string[];
  /** The heading of a column where it is neither its name nor one of the other names. */
  readonly headings?: ColumnHeadings | undefined;
  /** Headings whose cells are handed on unread. */
  readonly kept?: readonly string[] | undefined;
  /** The column without which a CSV file is another kind of list. */
  readonly required?: string;
}

/** What the headings of a file, or of one row, mean. */
export interface Columns {
  /** For each heading its column; null for one to leave out. */
  readonly columns: readonly (string | null)[];
  /** For each kept heading its index; -1 for one that is missing. */
  readonly kept: readonly number[];
  readonly issues: readonly RowIssue[];
}

/**
 * Gives each heading the column it means: case, spaces, points, hyphens and underscores do not matter, and ü is ue: so
 * `First Name`, `first_name` and `firstName` are one, and so are `Gültig bis` and `gueltig_bis`.
 */
export function matchColumns(
  headings: readonly string[],
  { columns: known, ignored, headings: given = {}, kept = [] }: TableOptions,
  line: number,
): Columns {
  const byForm = new Map(
    Object.entries(known).flatMap(([name, others]) =>
      [name, ...others].map((one) => [formOf(one), name]),
    ),
  );
  for (const [column, heading] of Object.entries(given)) byForm.set(formOf(heading), column);
  const ignoredForms = new Set(ignored.map(formOf));
  const keptForms = kept.map(formOf);
  const forms = headings.map(formOf);
  const issues: RowIssue[] = [];
  const seen = new Set<string>();
  const columns = forms.map((form, index) => {
    if (ignoredForms.has(form)) return null;
    const column = byForm.get(form);
    const heading = headings[index] ?? '';
    if (column === undefined) {
      if (keptForms.includes(form)) return null;
      issues.push({ line, column: heading, message: 'unknown column', reason: 'column_unknown' });
    } else if (seen.has(column)) {
      const message = `the column ${column} appears twice`;
      issues.push({ line, column: heading, message, reason: 'column_twice' });
    } else seen.add(column);
    return column ?? null;
  });
  return { columns, kept: keptForms.map((form) => forms.indexOf(form)), issues };
}

const PLAIN_LETTERS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss' };

/** What headings that mean the same have in common. */
export function formOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[\s._-]/gu, '')
    .replace(/[äöüß]/gu, (letter) => PLAIN_LETTERS[letter] ?? letter);
}

/** As `matchColumns`, for the headings of a whole file, in which every named heading must be. */
export function matchHead(
  headings: readonly string[],
  options: TableOptions,
  line: number,
): Columns {
  const matched = matchColumns(headings, options, line);
  const { required, headings: given = {}, kept = [] } = options;
  if (required !== undefined && !matched.columns.includes(required)) {
    const message = `there is no column ${required}`;
    return { ...matched, issues: [{ line, column: null, message, reason: 'list_no_ids' }] };
  }
  const forms = new Set(headings.map(formOf));
  const message = `there is no such column; the file has ${headings.join(', ')}`;
  const missing = [...Object.values(given), ...kept]
    .filter((heading) => !forms.has(formOf(heading)))
    .map((heading) => ({ line, column: heading, message, reason: 'column_missing' as const }));
  return { ...matched, issues: [...matched.issues, ...missing] };
}

/**
 * Reads `firstName=Vorname,lastName=Nachname`: the headings of columns.
 * @param known the names that columns have
 * @throws TicketscanError `usage` for another form and for a column that does not exist
 */
export function parseHeadings(text: string, known: readonly string[]): ColumnHeadings {
  const pairs = text.split(',').map((pair) => {
    const [column = '', ...rest] = pair.split('=').map((part) => part.trim());
    const heading = rest.join('=');
    if (known.includes(column) && heading !== '') return [column, heading] as const;
    throw new TicketscanError(
      'usage',
      `"${pair}" does not name the heading of a column. Write COLUMN=HEADING, such as firstName=Vorname. Columns are ${known.join(', ')}.${didYouMean(column, known)}`,
      { reason: 'list_columns', values: { text: pair } },
    );
  });
  return Object.fromEntries(pairs);
}

/** What the texts of one column mean here; texts are compared without case and outer blanks. */
type ValueMap = ReadonlyMap<string, string>;

/** By the name of a column. */
export type ValueMaps = Readonly<Record<string, ValueMap>>;

/**
 * Reads `VIP=Summer pool,Day=Winter pool`: a text of the list, and what it is here.
 * @param option as it is typed, for the message
 * @throws TicketscanError `usage` for another form, and for a text that is named twice
 */
export function parseValueMap(text: string, option: string): Map<string, string> {
  const map = new Map<string, string>();
  for (const pair of text.split(',')) {
    const at = pair.indexOf('=');
    const [from, to] = [wordOf(pair.slice(0, Math.max(at, 0))), pair.slice(at + 1).trim()];
    if (from === '' || to === '') {
      throw new TicketscanError(
        'usage',
        `${option}: "${pair}" is not a pair. Write TEXT=MEANING, separated by commas, such as VIP=permanent.`,
      );
    }
    if (map.has(from)) {
      throw new TicketscanError('usage', `${option} names "${from}" twice: once is enough.`);
    }
    map.set(from, to);
  }
  return map;
}

/** The row with what its texts mean. */
export function withMeanings(row: RawRow, maps: ValueMaps): RawRow {
  const entries = Object.entries(maps);
  if (entries.length === 0) return row;
  const cells = new Map(row.cells);
  for (const [column, map] of entries) {
    const meaning = map.get(wordOf(cells.get(column) ?? ''));
    if (meaning !== undefined) cells.set(column, meaning);
  }
  return { ...row, cells };
}

function wordOf(text: string): string {
  return text.trim().toLowerCase();
}
