import type { Duplex } from 'node:stream';
import type { ClientBase } from 'pg';
import type { Column } from '../sql/columns.ts';
import { storedIn, type Table, writersOf } from '../sql/rows.ts';

/**
 * Array parameters are written as text. The driver's own way looks at every element, which costs more than the rest of a batch
 * together.
 */

/** An array of numbers, of booleans, or of texts without quotes, commas, braces, blanks and backslashes, such as ids. */
export function plainArray(values: readonly (string | number | boolean | null)[]): string {
  let text = '';
  for (const value of values) text += `,${value === null ? 'NULL' : value}`;
  return `{${text.slice(1)}}`;
}

/** An array of any texts. */
export function textArray(values: readonly (string | null)[]): string {
  let text = '';
  for (const value of values) text += `,${value === null ? 'NULL' : quoted(value)}`;
  return `{${text.slice(1)}}`;
}

function quoted(value: string): string {
  return /["\\]/.test(value) ? `"${value.replace(/["\\]/g, '\\$&')}"` : `"${value}"`;
}

/** The value for each column, with its type. @param now the time of the batch, milliseconds since 1970 UTC */
export type Columns<Row> = readonly (readonly [
  name: string,
  type: 'text' | 'integer' | 'bigint' | 'boolean' | 'double precision',
  value: (row: Row, now: number) => string | number | boolean | null,
])[];

/** The columns of a table whose rows are given as records. */
export function columnsFor<Item>(table: Table<Item>): Columns<Item> {
  return writersOf(table).map(([column, memberOf]) => {
    const value = (row: Item) => storedIn(TEXTS, column, memberOf(row)) as string | null;
    return [nameIn(column), ARRAY_TYPES[column.type], value] as const;
  });
}

function nameIn({ own, name }: Column): string {
  return own === 'key' ? 'key_id' : name;
}

const ARRAY_TYPES = {
  id: 'text',
  text: 'text',
  integer: 'integer',
  bigint: 'bigint',
  boolean: 'boolean',
  'double precision': 'double precision',
} as const;

/** The rows of `arraysOf`. @param first the number of the first of its values in the statement */
export function unnested(columns: Columns<never>, first = 1): string {
  return `unnest(${columns.map(([, type], index) => `$${first + index}::${type}[]`).join(', ')})`;
}

/** An INSERT of such rows. @param more further columns, with an expression for each */
export function insertRows(
  table: string,
  columns: Columns<never>,
  first = 1,
  more: Readonly<Record<string, string>> = {},
): string {
  const names = [...Object.keys(more), ...columns.map(([name]) => name)].join(', ');
  const values = [...Object.values(more), '*'].join(', ');
  return `INSERT INTO ${table} (${names}) SELECT ${values} FROM ${unnested(columns, first)}`;
}

/** One array for each column, with the values of all rows. */
export function arraysOf<Row>(columns: Columns<Row>, rows: readonly Row[], now = 0): string[] {
  return columns.map(([, type, value]) => {
    const values = rows.map((row) => value(row, now)) as string[];
    return type === 'text' ? textArray(values) : plainArray(values);
  });
}

/** A private-use character, which no device has a reason to send. */
const ESCAPE = '\u{f8f0}';

/** Replaces NUL in a text of a device: PostgreSQL refuses it, and one such text must not stop a whole batch. */
export function storedText<Text extends string | null>(text: Text): Text {
  if (text === null || !(text.includes('\0') || text.includes(ESCAPE))) return text;
  const escaped = text.replaceAll(ESCAPE, ESCAPE + ESCAPE).replaceAll('\0', `${ESCAPE}0`);
  return escaped as Text;
}

/** Undoes `storedText`. */
export function textFrom<Text extends string | null>(stored: Text): Text {
  if (stored === null || !stored.includes(ESCAPE)) return stored;
  return stored.replace(/\u{f8f0}(.)/gsu, (_, next) => (next === '0' ? '\0' : next)) as Text;
}

/** The functions that convert texts for the tables. */
export const TEXTS = { storedText, textFrom };

/**
 * Sends all statements of `ask` in one write, if it gives them to the connection before it returns. The driver would write each statement by
 * itself. Each write is a system call and wakes the server, which costs more than the text of the statements.
 */
export function inOneWrite<Result>(client: ClientBase, ask: () => Result): Result {
  const { stream } = (client as ClientBase & { readonly connection: { readonly stream: Duplex } })
    .connection;
  stream.cork();
  try {
    return ask();
  } finally {
    stream.uncork();
  }
}
