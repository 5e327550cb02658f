import type { LogEntry } from '../../core/records.ts';
import type { NewTicket, TicketHistory } from '../../core/ticket.ts';

/** An array is compared with `anyOf` only. */
export type SqlValue = string | number | boolean | null | readonly string[];

/** A ticket that comes with or without a history. */
export type IncomingTicket = NewTicket &
  Partial<TicketHistory> & {
    /** Those of its uses that this store's log does not hold and will not get; all of them when it is missing. */
    readonly usesUnlogged?: number;
  };

/**
 * One connection to a SQL database, and what the databases do not have in common. The statements of this folder run on
 * each of them: they name their values `$1`, `$2`, ..., and the tables and columns that carry the same names everywhere.
 */
export interface SqlConnection {
  /** @returns the rows that a statement reads */
  rows<Row>(statement: string, values?: readonly SqlValue[]): Promise<Row[]>;
  /** @returns how many rows a statement wrote */
  run(statement: string, values?: readonly SqlValue[]): Promise<number>;
  /** Runs `work` in one write transaction, which is durable when this resolves; rolls back when it throws. */
  inTransaction<Result>(work: () => Promise<Result>): Promise<Result>;

  /** How other tables name a key: their column, and the column of `api_key` that it holds. */
  readonly key: { readonly column: string; readonly target: string };
  /** How `scan_log` names a ticket: its column, and the column of `ticket` that it holds. */
  readonly loggedTicket: { readonly column: string; readonly target: string };
  /** By that column: the uses of tickets that the log does not hold. */
  readonly unlogged: { readonly table: string; readonly uses: string };
  /**
   * A SELECT for an audit: each ticket as `scan_log` names it, its id, `uses_allowed`, `uses_consumed` as the database has it, and the
   * `earlier` ones of these, which the log does not hold.
   */
  readonly counters: string;
  /** The columns that `scan_count` is unique by. */
  readonly countKey: string;
  /** At the end of a SELECT: nobody else changes these rows until the transaction ends. */
  readonly forUpdate: string;
  /** At the end of a SELECT: nobody else deletes these rows until the transaction ends. */
  readonly forKeyShare: string;
  /** `expression` in the order of its bytes. */
  bytewise(expression: string): string;
  /** True for each `expression` that is one of the texts of an array value. */
  anyOf(expression: string, value: string): string;
  /** In a FROM: a row for each text of an array value, in the column `value`. */
  each(value: string): string;
  /** A member of a JSON text, as text. */
  memberOf(expression: string, name: string): string;
  /** True where the text `expression` contains a value. */
  contains(expression: string, value: string): string;
  /** The event in the ticket identifier `expression`. */
  eventOfTicket(expression: string): string;
  /** True for the entries of `log_record` whose ticket has this identifier. */
  isLoggedTicket(value: string): string;
  /** Undoes what the engine did to a text that it could not store as it was. */
  textFrom<Text extends string | null>(stored: Text): Text;
  storedText<Text extends string | null>(text: Text): Text;
  isUniqueViolation(error: unknown): boolean;

  /** Inside a transaction: what the engine keeps of each key besides the key. */
  addKeyState(keyId: string): Promise<void>;
  /** Inside a transaction: removes it for the keys that a query with one value finds. */
  removeKeyState(keyIds: string, value: SqlValue): Promise<void>;
  /** Inside a transaction: those who call this with the same text wait for one another. */
  takeTurn(what: string): Promise<void>;
  /** Inside a transaction, before it reads: every batch of scans has ended, and none begins until it ends. */
  keepScansOut(): Promise<void>;
  /** Resolves when no entry can appear any more among the first `limit` after a number, up to one that there is. */
  awaitLogGaps(afterSequence: number, upTo: number, limit: number): Promise<void>;
  /** Inside a transaction. @returns those that were inserted: a ticket whose id exists is left out */
  insertTickets(tickets: readonly IncomingTicket[]): Promise<IncomingTicket[]>;
  /** Inside a transaction: entries with their numbers; the next scan gets the next number. */
  insertLog(entries: readonly LogEntry[]): Promise<void>;
  /** Inside a transaction: removes tickets, with all that is kept of them. */
  deleteTickets(ticketIds: readonly string[]): Promise<void>;
  /** Inside a transaction, before entries go: until then the log alone may have the latest uses. */
  flushUses(): Promise<void>;
  /** Inside a transaction: one more entry. @returns its number */
  appendLogEntry(entry: Omit<LogEntry, 'sequence'>): Promise<number>;
  /**
   * Inside a transaction, before the entry that says so: counts one use of a ticket less, and holds the ticket until the end.
   * @returns the uses that are left; undefined when there is no such ticket
   */
  takeBackUse(ticketId: string): Promise<number | undefined>;
  /** Inside a transaction, after entries with numbers of their own: the next entry of `trail` gets the next number. */
  continueAuditLog(): Promise<void>;
}

/** Work on one connection. */
export type SqlWork<Result> = (sql: SqlConnection) => Promise<Result>;
