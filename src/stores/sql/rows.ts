import { type AnyGroup, type Column, type Columns, isGroup, type Texts } from './columns.ts';
import type { SqlConnection, SqlValue } from './connection.ts';

/** A table whose rows are records. All statements that read, write, copy or create them are made from this. */
export interface Table<Item> {
  readonly table: string;
  /** The SELECT that is read in place of the table. @param keyColumn the column in `SqlConnection.key` */
  readonly rows?: (keyColumn: string) => string;
  readonly columns: Columns<Item>;
  /** Columns that no record has. */
  readonly others?: readonly OtherColumn<Item>[];
  /** Its keys, such as `PRIMARY KEY ({key}, serial)`: the engine replaces the names in braces. */
  readonly keys?: string;
  /** The way in which an engine keeps the rows; `TableWords.ends` has its SQL. */
  readonly end?: 'inOrder' | 'counters' | 'changing' | 'log';
}

/** A column that no record has. `of` gives its value; without it the column gets its default. */
export interface OtherColumn<Item> extends Column<SqlValue> {
  readonly of?: (record: Item) => SqlValue;
}

interface Part {
  readonly member: string;
  /** The name of the column in the result of a SELECT. */
  readonly alias: string;
  readonly column: Column;
}

interface PartOfGroup {
  readonly member: string;
  readonly group: AnyGroup;
  /** The alias of its first column. */
  readonly firstAlias: string;
  readonly parts: readonly (Part | PartOfGroup)[];
}

const PARTS = new WeakMap<object, Map<string, readonly (Part | PartOfGroup)[]>>();

/** The parts of a record. They are made once, because a log of millions of entries is read with them. */
function partsOf(columns: object, prefix = ''): readonly (Part | PartOfGroup)[] {
  const known = PARTS.get(columns) ?? new Map<string, readonly (Part | PartOfGroup)[]>();
  PARTS.set(columns, known);
  const found = known.get(prefix);
  if (found) return found;
  const entries = Object.entries(columns) as [string, Column | AnyGroup][];
  const parts = entries.map(([member, of]) => {
    const alias = `${prefix}${member}`;
    if (!isGroup(of)) return { member, alias, column: of };
    const inside = partsOf(of.members, `${alias}.`);
    return { member, group: of, parts: inside, firstAlias: flat(inside)[0]?.alias ?? '' };
  });
  known.set(prefix, parts);
  return parts;
}

function flat(parts: readonly (Part | PartOfGroup)[]): Part[] {
  return parts.flatMap((part) => ('column' in part ? [part] : flat(part.parts)));
}

/** Every column of a record, those in groups too. */
export function columnsIn<Item>(columns: Columns<Item>): Column[] {
  return flat(partsOf(columns)).map(({ column }) => column);
}

/** The columns that are written. Columns that are computed from others are not. */
export function writtenColumns<Item>(columns: Columns<Item>): Column[] {
  return columnsIn(columns).filter(({ isDerived }) => isDerived !== true);
}

/** The names of the columns that are the same on each engine, for a view. @param rows the name of the rows */
export function namesOf<Item>(table: Table<Item>, rows: string): string {
  const columns: readonly Column[] = [...writtenColumns(table.columns), ...(table.others ?? [])];
  return columns
    .filter(({ own }) => own !== 'key' && own !== 'loggedTicket')
    .map(({ name }) => `${rows}.${name}`)
    .join(', ');
}

/** The columns for a SELECT from `rowsOf`. @param prefix a prefix of the names in the result; `recordFrom` must get the same */
export function columnsOf<Item>(columns: Columns<Item>, rows = 'r', prefix = ''): string {
  return flat(partsOf(columns, prefix))
    .map(({ alias, column }) => {
      const { name, expression } = column;
      return `${expression ? expression(rows) : `${rows}.${name}`} AS "${alias}"`;
    })
    .join(', ');
}

/** The FROM clause for the rows of a table as r, with the keys that they refer to as k. */
export function rowsOf<Item>({ key }: SqlConnection, table: Table<Item>): string {
  const rows = table.rows ? `(${table.rows(key.column)})` : table.table;
  const joinsKeys = columnsIn(table.columns).some((column) => column.own === 'key');
  return joinsKeys ? `${rows} r JOIN api_key k ON k.${key.target} = r.${key.column}` : `${rows} r`;
}

/** @param rest the rest of the SELECT, with the rows as r and the keys that they refer to as k */
export async function select<Item>(
  sql: SqlConnection,
  table: Table<Item>,
  rest = '',
  values: readonly SqlValue[] = [],
): Promise<Item[]> {
  const statement = `SELECT ${columnsOf(table.columns)} FROM ${rowsOf(sql, table)} ${rest}`;
  const rows = await sql.rows<object>(statement, values);
  return rows.map((row) => recordFrom(sql, table.columns, row));
}

/** @param row a row with `columnsOf` these columns */
export function recordFrom<Item>(
  texts: Texts,
  columns: Columns<Item>,
  row: object,
  prefix = '',
): Item {
  return recordOf(texts, partsOf(columns, prefix), row as Row) as Item;
}

type Row = Readonly<Record<string, unknown>>;

function recordOf(texts: Texts, parts: readonly (Part | PartOfGroup)[], row: Row): object {
  const record: Record<string, unknown> = {};
  for (const part of parts) {
    const value = 'column' in part ? valueIn(texts, part, row) : groupIn(texts, part, row);
    if (value !== undefined) record[part.member] = value;
  }
  return record;
}

/** The value of a member; undefined if the record lacks it. */
function valueIn(texts: Texts, { alias, column }: Part, row: Row): unknown {
  const stored = row[alias];
  if (stored === column.absent) return undefined;
  if (stored === null) return column.ifNull ?? null;
  return column.read ? column.read(stored, texts) : stored;
}

function groupIn(texts: Texts, { group, firstAlias, parts }: PartOfGroup, row: Row): unknown {
  if (group.without === undefined || row[firstAlias] !== null) return recordOf(texts, parts, row);
  return group.without === 'null' ? null : undefined;
}

/** The value that a column stores for a member. A missing member is stored as `absent`. */
export function storedIn(texts: Texts, column: Column, value: unknown): SqlValue {
  // A JSON value may be null itself: its column is not nullable.
  if (value === undefined || (value === null && (column.isNullable || !column.write)))
    return column.absent ?? null;
  return column.write ? column.write(value, texts) : (value as SqlValue);
}

/** A column that is written, and the function that takes its value from a record. */
export type Writer<Item> = readonly [column: Column, value: (record: Item) => unknown];

/** The columns that an insert writes for each record, in their order. */
export function writersOf<Item>(table: Pick<Table<Item>, 'columns' | 'others'>): Writer<Item>[] {
  const others = table.others?.filter(({ of }) => of !== undefined) ?? [];
  return [
    ...writersIn<Item>(partsOf(table.columns), (record) => record as Row),
    ...others.map((column) => [column, column.of ?? (() => null)] as Writer<Item>),
  ];
}

function writersIn<Item>(
  parts: readonly (Part | PartOfGroup)[],
  within: (record: Item) => Row | null | undefined,
): Writer<Item>[] {
  return parts.flatMap((part): Writer<Item>[] => {
    const member = (record: Item) => within(record)?.[part.member];
    if (!('column' in part)) return writersIn(part.parts, (one) => member(one) as Row);
    return part.column.isDerived ? [] : [[part.column, member]];
  });
}

/** The values that are written for a record, by column. The database chooses a number that the record does not have yet. */
function valuesOf<Item>(
  texts: Texts,
  table: Pick<Table<Item>, 'columns' | 'others'>,
  record: Item,
): [Column, SqlValue][] {
  return writersOf(table)
    .map(([column, memberOf]) => [column, memberOf(record)] as const)
    .filter(([{ own }, value]) => own !== 'sequence' || value !== undefined)
    .map(([column, value]) => [column, storedIn(texts, column, value)]);
}

/** Inserts a record; the caller holds a transaction. @param onConflict the end of the statement @returns how many rows it wrote */
export function insert<Item>(
  sql: SqlConnection,
  table: Table<Item>,
  record: Omit<Item, 'sequence'>,
  onConflict = '',
): Promise<number> {
  const { column, target } = sql.key;
  const values = valuesOf(sql, table, record as Item);
  const names = values.map(([{ own, name }]) => (own === 'key' ? column : name));
  const parameters = values.map(([{ own }], index) =>
    own === 'key' ? `(SELECT ${target} FROM api_key WHERE id = $${index + 1})` : `$${index + 1}`,
  );
  return sql.run(
    `INSERT INTO ${table.table} (${names.join(', ')}) VALUES (${parameters.join(', ')}) ${onConflict}`,
    values.map(([, value]) => value),
  );
}

/** Writes all columns of the record with this identifier; the caller holds a transaction. */
export function update<Item extends { readonly id: string }>(
  sql: SqlConnection,
  table: Table<Item>,
  record: Item,
): Promise<number> {
  const values = valuesOf(sql, table, record).filter(([{ name }]) => name !== 'id');
  const changes = values.map(([{ name }], index) => `${name} = $${index + 2}`).join(', ');
  const written = values.map(([, value]) => value);
  return sql.run(`UPDATE ${table.table} SET ${changes} WHERE id = $1`, [record.id, ...written]);
}
