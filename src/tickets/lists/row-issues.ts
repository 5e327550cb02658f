import { explanationOf, type TicketscanError } from '../../core/errors.ts';
import type { ErrorValues, Explanation } from '../../core/refusals/catalogue.ts';
import type { Suggestion } from './headings.ts';

/** One thing wrong in a file of rows, where a person finds it. */
export interface RowIssue extends Explanation {
  /** The line as an editor counts, from 1. */
  readonly line: number;
  /** Name of the column; null when the row as a whole is wrong. */
  readonly column: string | null;
  readonly message: string;
  /** What can be done with a column that is not known; see `headings.ts`. */
  readonly suggestion?: Suggestion | undefined;
  /** Some different texts of a column that is not known; more come while rows are read. */
  readonly samples?: readonly string[] | undefined;
}

/** @param column null when the row as a whole is refused */
export function issueAt(line: number, column: string | null, error: TicketscanError): RowIssue {
  return { line, column, message: error.message, ...explanationOf(error) };
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
