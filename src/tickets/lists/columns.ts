import type { RowIssue } from './row-issue.ts';

/** What columns a file of rows may have. */
export interface TableOptions {
  /** Names of the columns, each with other names for it. */
  readonly columns: Readonly<Record<string, readonly string[]>>;
  /** Headings to leave out. */
  readonly ignored: readonly string[];
}

/**
 * Gives each heading the column it means: case, spaces, hyphens and underscores do not matter, so `First Name`,
 * `first_name` and `firstName` are one.
 * @returns for each heading its column, or null for one to leave out; and what is wrong with the headings
 */
export function matchColumns(
  headings: readonly string[],
  { columns: known, ignored }: TableOptions,
  line: number,
): { columns: (string | null)[]; faults: RowIssue[] } {
  const byForm = new Map(
    Object.entries(known).flatMap(([name, others]) =>
      [name, ...others].map((one) => [formOf(one), name]),
    ),
  );
  const ignoredForms = new Set(ignored.map(formOf));
  const issues: RowIssue[] = [];
  const seen = new Set<string>();
  const columns = headings.map((heading) => {
    if (ignoredForms.has(formOf(heading))) return null;
    const column = byForm.get(formOf(heading));
    if (column === undefined) {
      issues.push({ line, column: heading, message: unknown(Object.keys(known)) });
    } else if (seen.has(column)) {
      issues.push({ line, column: heading, message: `the column ${column} appears twice` });
    } else seen.add(column);
    return column ?? null;
  });
  return { columns, faults: issues };
}

function formOf(heading: string): string {
  return heading.toLowerCase().replace(/[\s_-]/gu, '');
}

function unknown(known: readonly string[]): string {
  return `unknown column; known are ${known.join(', ')}. Name it in --ignore-columns to ignore it`;
}
