import type { ErrorValues, Explanation } from '../../core/error-reasons.ts';
import { explanationOf, type TicketscanError } from '../../core/errors.ts';

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
}

/** What a file of rows yields: valid rows and issues, in the order of the file. */
export type RowOrFault = { readonly row: RawRow } | { readonly fault: RowIssue };

const CHARACTERS_SHOWN = 300;

/** What an error says of a cell. */
export function issueOf(line: number, column: string, error: TicketscanError): RowIssue {
  return { line, column, message: error.message, ...explanationOf(error) };
}

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

/** `line 17, column uses: …` */
export function faultInWords(issue: RowIssue): string {
  const { line, column, message } = shortened(issue);
  return `line ${line}${column === null ? '' : `, column ${column}`}: ${message}`;
}
