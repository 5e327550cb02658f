import { eventOfTicketId } from '../../core/ticket-id.ts';
import type { SqlConnection, SqlValue } from './connection.ts';

/** The types of columns, in the words of PostgreSQL. An `id` is a text that is compared byte by byte, whatever the server's language. */
export type ColumnType = 'id' | 'text' | 'integer' | 'bigint' | 'boolean' | 'double precision';

/** The functions of an engine that convert texts that it cannot store as they are. */
export type Texts = Pick<SqlConnection, 'textFrom' | 'storedText'>;

/**
 * Columns that each engine defines in its own words: the identifier with the number of the row, the number of an entry, the key of
 * a row (`SqlConnection.key`), and the ticket of a log entry (`SqlConnection.loggedTicket`).
 */
export type OwnColumn =
  | 'identified'
  | 'ordered'
  | 'sequence'
  | 'logSequence'
  | 'key'
  | 'loggedTicket';

/** One column, and the member of a record that lies in it. */
export interface Column<Value = unknown> {
  readonly name: string;
  readonly type: ColumnType;
  readonly isNullable?: true;
  /** The rest of its definition, such as UNIQUE. */
  readonly rule?: string | undefined;
  readonly own?: OwnColumn;
  /** True for a value that is read from another column: the table does not define it, and nothing writes it. */
  readonly isDerived?: true;
  /** The expression that a SELECT reads in place of the column. @param rows the name of the rows */
  readonly expression?: (rows: string) => string;
  /** The value that is stored if the record lacks the member, and that is read as such. */
  readonly absent?: SqlValue;
  /** The value as which NULL is read; null by default. */
  readonly ifNull?: Value;
  read?(stored: unknown, texts: Texts): Value;
  write?(value: Value, texts: Texts): SqlValue;
}

/** Members that belong to one member of the record, such as the limits of an organisation. */
interface Group<Item = unknown> {
  readonly members: Columns<Item>;
  /** Says whether the member is absent or null if the first of its columns is NULL. */
  readonly without?: 'absent' | 'null';
}

/** A group with any members. */
export type AnyGroup = Pick<Group, 'without'> & { readonly members: object };

/** The column, or the group of columns, of each member of a record. */
export type Columns<Item> = {
  readonly [Member in keyof Item]-?:
    | Column<Exclude<Item[Member], undefined>>
    | Group<NonNullable<Item[Member]>>;
};

export function isGroup(member: Column | AnyGroup): member is AnyGroup {
  return 'members' in member;
}

export function text<Value extends string>(name: string, rule?: string): Column<Value> {
  return { name, type: 'text', rule };
}

/** A column for identifiers, which are compared byte by byte. */
export function id<Value extends string>(name: string, rule?: string): Column<Value> {
  return { name, type: 'id', rule };
}

export function integer<Value extends number>(name: string): Column<Value> {
  return { name, type: 'integer' };
}

/** A column for numbers and for times, in milliseconds since 1970 UTC. */
export function bigint<Value extends number>(name: string): Column<Value> {
  return { name, type: 'bigint' };
}

export function double(name: string): Column<number> {
  return { name, type: 'double precision' };
}

/** A boolean, which SQLite keeps as a number. */
export function flag<Value extends boolean>(name: string): Column<Value> {
  return { name, type: 'boolean', read: (stored) => Boolean(stored) as Value };
}

/** A flag that is true or absent: NULL and false are read as absent. */
export function onlyTrue(name: string): Column<true> {
  return { name, type: 'boolean', read: (stored) => (stored ? true : undefined) as true };
}

/** A text that a device sent. */
export function said<Value extends string>(name: string): Column<Value> {
  return {
    name,
    type: 'text',
    read: (stored, texts) => texts.textFrom(stored as Value),
    write: (value, texts) => texts.storedText(value),
  };
}

export function json<Value>(name: string): Column<Value> {
  return {
    name,
    type: 'text',
    read: (stored) => JSON.parse(stored as string) as Value,
    write: (value) => JSON.stringify(value),
  };
}

export function nullable<Value>(column: Column<Value>): Column<Value | null> {
  return { ...(column as Column<Value | null>), isNullable: true };
}

/** A member that a record may lack. @param absent the value that is stored then */
export function optional<Value>(column: Column<Value>, absent: SqlValue): Column<Value> {
  return absent === null ? { ...column, isNullable: true, absent } : { ...column, absent };
}

export function identifier(own: 'identified' | 'ordered' = 'identified'): Column<string> {
  return { name: 'id', type: 'id', own };
}

/** The number of an entry; the database chooses it. */
export function sequence(own: 'sequence' | 'logSequence' = 'sequence'): Column<number> {
  return { name: 'sequence', type: 'bigint', own };
}

/** A key: the record has its id, the table what `SqlConnection.key` says. */
export function key(): Column<string> {
  return { name: 'key', type: 'id', own: 'key', expression: () => 'k.id' };
}

/** The event in the ticket identifier of the same row. */
export function eventOfTicket(): Column<string> {
  const read = (ticketId: unknown) => eventOfTicketId(ticketId as string) ?? '';
  return { name: 'id', type: 'id', isDerived: true, read };
}

/** A column of a view that is computed from other columns. */
export function derived<Value>(column: Column<Value>): Column<Value> {
  return { ...column, isDerived: true };
}
