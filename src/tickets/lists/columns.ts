import { TicketscanError } from '../../core/errors.ts';
import { didYouMean } from '../../kit/nearest.ts';
import type { RowIssue } from './row-issue.ts';

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

/**
 * Gives each heading the column it means: case, spaces, points, hyphens and underscores do not matter, and ü is ue: so
 * `First Name`, `first_name` and `firstName` are one, and so are `Gültig bis` and `gueltig_bis`.
 * @returns for each heading its column, or null for one to leave out; and what is wrong with the headings
 */
export function matchColumns(
  headings: readonly string[],
  { columns: known, ignored, headings: given = {}, kept = [] }: TableOptions,
  line: number,
): { columns: (string | null)[]; faults: RowIssue[] } {
  const byForm = new Map(
    Object.entries(known).flatMap(([name, others]) =>
      [name, ...others].map((one) => [formOf(one), name]),
    ),
  );
  for (const [column, heading] of Object.entries(given)) byForm.set(formOf(heading), column);
  const ignoredForms = new Set(ignored.map(formOf));
  const keptForms = new Set(kept.map(formOf));
  const issues: RowIssue[] = [];
  const seen = new Set<string>();
  const columns = headings.map((heading) => {
    if (ignoredForms.has(formOf(heading))) return null;
    const column = byForm.get(formOf(heading));
    if (column === undefined) {
      if (keptForms.has(formOf(heading))) return null;
      issues.push({ line, column: heading, message: 'unknown column', reason: 'column_unknown' });
    } else if (seen.has(column)) {
      issues.push({
        ...{ line, column: heading, message: `the column ${column} appears twice` },
        reason: 'column_twice',
      });
    } else seen.add(column);
    return column ?? null;
  });
  return { columns, faults: issues };
}

const PLAIN_LETTERS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss' };

export function formOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[\s._-]/gu, '')
    .replace(/[äöüß]/gu, (letter) => PLAIN_LETTERS[letter] ?? letter);
}

/** Where each kept heading is; an index of -1 for none. */
export function keptIndexes(headings: readonly string[], { kept = [] }: TableOptions): number[] {
  const forms = headings.map(formOf);
  return kept.map((heading) => forms.indexOf(formOf(heading)));
}

/** The headings that are named and are not in the file. */
export function missingHeadings(
  headings: readonly string[],
  { headings: given = {}, kept = [] }: TableOptions,
  line: number,
): RowIssue[] {
  const forms = new Set(headings.map(formOf));
  return [...Object.values(given), ...kept]
    .filter((heading) => !forms.has(formOf(heading)))
    .map((heading) => {
      const message = `there is no such column; the file has ${headings.join(', ')}`;
      return { line, column: heading, message, reason: 'column_missing' };
    });
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
