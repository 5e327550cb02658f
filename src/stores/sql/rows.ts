import type { SqlConnection, SqlValue } from './connection.ts';

/**
 * Where a member of a record lies: in a column as it is, a text or a number; as a text that a device has `said`; or as JSON. A `key` is named
 * by its id in the record, and as `SqlConnection.key` says in the table.
 */
type Column = readonly [name: string, as?: 'number' | 'said' | 'json'] | 'key';

/** A table whose rows are records. */
export interface Table<Item> {
  readonly table: string;
  /** What is read in place of the table: a SELECT with its columns. */
  readonly rows?: (keyColumn: string) => string;
  readonly columns: { readonly [Member in keyof Item]-?: Column };
}

export function columnsIn(table: Table<object>): [member: string, column: Column][] {
  return Object.entries(table.columns);
}

/** For a SELECT from `rowsOf`. */
export function columnsOf(table: Table<object>, rows = 'r'): string {
  return columnsIn(table)
    .map(
      ([member, column]) => `${column === 'key' ? 'k.id' : `${rows}.${column[0]}`} AS "${member}"`,
    )
    .join(', ');
}

/** The rows of a table as r, with the keys that they name as k. */
export function rowsOf({ key }: SqlConnection, table: Table<object>): string {
  const rows = table.rows ? `(${table.rows(key.column)})` : table.table;
  const isOfKeys = columnsIn(table).some(([, column]) => column === 'key');
  return isOfKeys ? `${rows} r JOIN api_key k ON k.${key.target} = r.${key.column}` : `${rows} r`;
}

/** @param rest of the SELECT, with the rows as r and the keys that they name as k */
export async function select<Item>(
  sql: SqlConnection,
  table: Table<Item>,
  rest = '',
  values: readonly SqlValue[] = [],
): Promise<Item[]> {
  const statement = `SELECT ${columnsOf(table)} FROM ${rowsOf(sql, table)} ${rest}`;
  const rows = await sql.rows<Item>(statement, values);
  return rows.map((row) => recordFrom(sql, table, row));
}

/** @param row with `columnsOf` the table */
export function recordFrom<Item>(sql: SqlConnection, table: Table<Item>, row: Item): Item {
  const values = { ...row } as Record<string, unknown>;
  for (const [member, [, as]] of columnsIn(table)) {
    const value = values[member] as string | null;
    if (as === 'said') values[member] = sql.textFrom(value);
    else if (as === 'json') values[member] = JSON.parse(value ?? 'null');
  }
  return values as Item;
}

/** Inside a transaction. @param onConflict the end of the statement @returns how many rows it wrote */
export function insert<Item>(
  sql: SqlConnection,
  table: Table<Item>,
  record: Partial<Item>,
  onConflict = '',
): Promise<number> {
  const values: Record<string, SqlValue> = {};
  for (const [member, column] of columnsIn(table)) {
    const value = record[member as keyof Item];
    if (column === 'key') values[KEY] = value as string;
    else if (value !== undefined) values[column[0]] = storedAs(sql, column[1], value);
  }
  return insertRow(sql, table.table, values, onConflict);
}

function storedAs(sql: SqlConnection, as: Exclude<Column, 'key'>[1], value: unknown): SqlValue {
  if (as === 'json') return JSON.stringify(value);
  return as === 'said' ? sql.storedText(value as string | null) : (value as SqlValue);
}

/** In the values of a row: the id of a key. */
const KEY = 'key';

/** Inside a transaction. @param values by column @param onConflict the end of the statement */
export function insertRow(
  sql: SqlConnection,
  table: string,
  values: Readonly<Record<string, SqlValue>>,
  onConflict = '',
): Promise<number> {
  const { column, target } = sql.key;
  const names = Object.keys(values).map((name) => (name === KEY ? column : name));
  const parameters = Object.keys(values).map((name, index) =>
    name === KEY ? `(SELECT ${target} FROM api_key WHERE id = $${index + 1})` : `$${index + 1}`,
  );
  return sql.run(
    `INSERT INTO ${table} (${names.join(', ')}) VALUES (${parameters.join(', ')}) ${onConflict}`,
    Object.values(values),
  );
}
