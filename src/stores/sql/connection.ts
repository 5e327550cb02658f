import type { LogEntry } from '../../core/records.ts';
import type { NewTicket, TicketHistory } from '../../core/ticket.ts';

/** A value of a statement. An array can only be compared with `anyOf`. */
export type SqlValue = string | number | boolean | null | readonly string[];

/** A ticket to insert, with or without a history. */
export type IncomingTicket = NewTicket &
  Partial<TicketHistory> & {
    /** How many of its uses this store's log does not hold and will not get; all of them by default. */
    readonly usesUnlogged?: number;
  };

/**
 * One connection to a SQL database, and the differences between the databases. The statements of this folder run on
 * all of them: they name their values `$1`, `$2`, ..., and use tables and columns whose names are the same everywhere.
 * The methods that write need a transaction, which the caller holds.
 */
export interface SqlConnection {
  /** @returns the rows that a statement reads */
  rows<Row>(statement: string, values?: readonly SqlValue[]): Promise<Row[]>;
  /** @returns how many rows a statement wrote */
  run(statement: string, values?: readonly SqlValue[]): Promise<number>;
  /** Runs `work` in one write transaction, which is durable when this resolves; rolls back when it throws. */
  inTransaction<Result>(work: () => Promise<Result>): Promise<Result>;

  /** The column by which other tables refer to a key, and the column of `api_key` that it holds. */
  readonly key: { readonly column: string; readonly target: string };
  /** The column by which `scan_log` refers to a ticket, and the column of `ticket` that it holds. */
  readonly loggedTicket: { readonly column: string; readonly target: string };
  /** The table with the uses of tickets that the log does not hold, by that column. */
  readonly unlogged: { readonly table: string; readonly uses: string };
  /**
   * A SELECT for an audit: each ticket as `scan_log` refers to it, its id, `uses_allowed`, `uses_consumed` as the database has it, and
   * `earlier`, the number of uses that the log does not hold.
   */
  readonly counters: string;
  /** The columns that make a row of `scan_count` unique. */
  readonly countKey: string;
  /** The end of a SELECT that keeps others from changing its rows until the transaction ends. */
  readonly forUpdate: string;
  /** The end of a SELECT that keeps others from deleting its rows until the transaction ends. */
  readonly forKeyShare: string;
  /** An `expression` that is compared byte by byte. */
  bytewise(expression: string): string;
  /** A condition: `expression` is one of the texts of an array value. */
  anyOf(expression: string, value: string): string;
  /** The part of a FROM that has a row for each text of an array value, in the column `value`. */
  each(value: string): string;
  /** A member of a JSON text, as text. */
  memberOf(expression: string, name: string): string;
  /** A condition: the text `expression` contains a value. */
  contains(expression: string, value: string): string;
  /** The event in the ticket identifier `expression`. */
  eventOfTicket(expression: string): string;
  /** A condition on `log_record`: the ticket of the entry has this identifier. */
  isLoggedTicket(value: string): string;
  /** Turns a stored text back into the original, if the engine could not store it as it was. */
  textFrom<Text extends string | null>(stored: Text): Text;
  storedText<Text extends string | null>(text: Text): Text;
  isUniqueViolation(error: unknown): boolean;

  /** Adds what the engine keeps for each key besides its record. */
  addKeyState(keyId: string): Promise<void>;
  /** Removes that for the keys that a query with one value finds. */
  removeKeyState(keyIds: string, value: SqlValue): Promise<void>;
  /** Lets callers with the same text wait for each other, until their transactions end. */
  takeTurn(what: string): Promise<void>;
  /** Waits until no batch of scans is in progress, and keeps new ones out until the transaction ends. Call it before the transaction reads. */
  keepScansOut(): Promise<void>;
  /** Resolves when no entry can appear any more among the first `limit` numbers after `afterSequence`, up to the existing entry `upTo`. */
  awaitLogGaps(afterSequence: number, upTo: number, limit: number): Promise<void>;
  /** Inserts tickets. @returns the inserted ones: a ticket whose id exists is left out */
  insertTickets(tickets: readonly IncomingTicket[]): Promise<IncomingTicket[]>;
  /** Inserts entries with their numbers; the next scan gets the next number. */
  insertLog(entries: readonly LogEntry[]): Promise<void>;
  /** Deletes tickets, with everything that is kept about them. */
  deleteTickets(ticketIds: readonly string[]): Promise<void>;
  /** Writes the latest uses into the counters. Call it before entries are removed: the log alone may have these uses. */
  flushUses(): Promise<void>;
  /** Appends an entry. @returns its number */
  appendLogEntry(entry: Omit<LogEntry, 'sequence'>): Promise<number>;
  /**
   * Counts one use of a ticket less, and locks the ticket until the transaction ends. Call it before the entry that says so is written.
   * @returns the number of uses that remain counted; undefined if there is no such ticket
   */
  takeBackUse(ticketId: string): Promise<number | undefined>;
  /** Lets the next entry of `audit_log` get the next number, after entries were inserted with their own numbers. */
  continueAuditLog(): Promise<void>;
}

/** A function that works on one connection. */
export type SqlWork<Result> = (sql: SqlConnection) => Promise<Result>;
