import type { DatabaseSync, StatementSync } from 'node:sqlite';

export interface Use {
  readonly usesConsumed: number;
  readonly lastConsumedAt: number | null;
}

/** The counters that are being written into the file: a few at a time, so that no scan waits long. */
interface Round {
  /** All uses up to the log entry `upTo`. */
  readonly uses: ReadonlyMap<number, Use>;
  readonly upTo: number;
  /** The tickets' rows, in the order of the file. */
  readonly rows: Float64Array;
  /** How many of `rows` are written. */
  written: number;
}

/**
 * The uses that are in the log but not yet in the counters. All processes on the file may have written them.
 *
 * A use costs one row at the end of the log. Its counter is on some other page, and is written later,
 * with many others, in the order of the file. Log rows carry the counter itself, not an increment, so applying one
 * twice changes nothing.
 */
export class PendingUses {
  /** The uses since the round began, or all if there is no round. */
  #uses = new Map<number, Use>();
  #round: Round | undefined;
  readonly #statements: {
    readonly since: StatementSync;
    readonly write: StatementSync;
    readonly setFlushedTo: StatementSync;
  };
  #flushedTo = 0;
  #seen = 0;

  constructor(database: DatabaseSync) {
    this.#statements = {
      since: database.prepare(
        `SELECT ticket, uses_consumed, at FROM scan_log
         WHERE sequence > ? AND status = 'consumed' AND replayed = 0 ORDER BY sequence`,
      ),
      write: database.prepare(
        'UPDATE ticket_use SET uses_consumed = ?, last_consumed_at = ? WHERE ticket = ?',
      ),
      setFlushedTo: database.prepare('UPDATE state SET flushed_to = ?'),
    };
  }

  /** The number of log entries since the last flush; many of them may name the same ticket. */
  get entries(): number {
    return this.#flushedTo < 0 ? 0 : this.#seen - this.#flushedTo;
  }

  /** Whether `flushSome` has begun and is not done. */
  get isFlushing(): boolean {
    return this.#round !== undefined;
  }

  of(ticketRow: number): Use | undefined {
    return this.#uses.get(ticketRow) ?? this.#round?.uses.get(ticketRow);
  }

  add(ticketRow: number, use: Use): void {
    this.#uses.set(ticketRow, use);
  }

  /**
   * Reads what other processes have logged; called first in a write transaction.
   * @param flushedTo the last log entry that the counters include, as `state.flushed_to` says
   * @param last the last log entry there is
   */
  catchUp(flushedTo: number, last: number): void {
    // Another process has flushed, so its uses need not be remembered here.
    if (flushedTo !== this.#flushedTo) this.forget();
    // The log is shorter than it was: the file was replaced by an older one.
    if (last < this.#seen) this.forget();
    const seen = Math.max(this.#seen, flushedTo);
    if (last !== seen) {
      for (const row of this.#statements.since.iterate(seen)) {
        const usesConsumed = row['uses_consumed'] as number;
        this.add(row['ticket'] as number, { usesConsumed, lastConsumedAt: row['at'] as number });
      }
    }
    this.#flushedTo = flushedTo;
    this.#seen = last;
  }

  /** Notes that this process has logged up to `sequence`, and has passed every use to `add`. */
  wrote(sequence: number): void {
    this.#seen = sequence;
  }

  /**
   * Writes the next `count` counters, after `catchUp` in the same transaction. `state.folded` changes only when all of them
   * are written: until then another process, or this one after a crash, reads the log from the same entry as before.
   */
  flushSome(count: number): void {
    this.#round ??= this.#beginRound();
    const round = this.#round;
    const end = round.written + count;
    for (const ticketRow of round.rows.subarray(round.written, end)) {
      const { usesConsumed, lastConsumedAt } = round.uses.get(ticketRow) as Use;
      const { changes } = this.#statements.write.run(usesConsumed, lastConsumedAt, ticketRow);
      if (changes !== 1) throw new Error(`the counter of ticket row ${ticketRow} is missing`);
    }
    round.written = end;
    if (end < round.rows.length) return;
    this.#statements.setFlushedTo.run(round.upTo);
    this.#flushedTo = round.upTo;
    this.#round = undefined;
  }

  #beginRound(): Round {
    const uses = this.#uses;
    this.#uses = new Map();
    const rows = Float64Array.from(uses.keys()).sort();
    return { uses, upTo: this.#seen, rows, written: 0 };
  }

  /** Starts again from the database. */
  forget(): void {
    this.#uses.clear();
    this.#round = undefined;
    this.#seen = 0;
    this.#flushedTo = -1;
  }
}

/** The uses that a process has in memory because the counters do not include them yet. */
export interface UseIndex {
  /** Reads, inside a transaction, what other processes have logged. */
  catchUp(): void;
  usesAfter(ticketRow: number): Use | undefined;
  /** Called when a transaction was rolled back. */
  forget(): void;
}

/** The view whose readers must use `withUseIndex`. */
export const INDEXED_VIEW = 'ticket_record';

/**
 * Replaces `ticket_now` and the view built on it for this connection. For each statement the file's views read every
 * pending log entry; these views look up one ticket at a time in memory.
 */
export function createIndexedViews(database: DatabaseSync, index: UseIndex): void {
  database.function('later_uses', (row) => index.usesAfter(Number(row))?.usesConsumed ?? null);
  database.function('later_at', (row) => index.usesAfter(Number(row))?.lastConsumedAt ?? null);
  const inFile = database
    .prepare("SELECT sql FROM main.sqlite_schema WHERE type = 'view' AND name = ?")
    .get(INDEXED_VIEW);
  // A name means the temporary view if there is one, but only inside temporary views.
  database.exec(`
    CREATE TEMP VIEW ticket_now AS
      SELECT ticket, coalesce(later_uses(ticket), uses_consumed) AS uses_consumed,
        coalesce(later_at(ticket), last_consumed_at) AS last_consumed_at FROM ticket_use;
    ${String(inFile?.['sql']).replace('CREATE VIEW', 'CREATE TEMP VIEW')};
  `);
}

/** Runs a read that sees one state of the database and of the memory. */
export function withUseIndex<Result>(
  database: DatabaseSync,
  index: UseIndex,
  read: () => Result,
): Result {
  const alone = !database.isTransaction;
  if (alone) database.exec('BEGIN');
  try {
    index.catchUp();
    return read();
  } finally {
    if (alone) database.exec('COMMIT');
  }
}
