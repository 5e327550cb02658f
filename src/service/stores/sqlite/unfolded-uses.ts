import type { DatabaseSync, StatementSync } from 'node:sqlite';

export interface Use {
  readonly usesConsumed: number;
  readonly lastConsumedAt: number | null;
}

/**
 * The uses that are in the log but not yet in the counters, of this process and of every other on the file.
 *
 * A use costs one row at the end of the log; its counter is a row somewhere on a page of its own, and is written later,
 * with many others, in the order of the file. Log rows carry the counter itself, not an increment, so applying one
 * twice changes nothing.
 */
export class UnfoldedUses {
  readonly #uses = new Map<number, Use>();
  readonly #statements: {
    readonly last: StatementSync;
    readonly since: StatementSync;
    readonly write: StatementSync;
    readonly folded: StatementSync;
  };
  #folded = 0;
  #seen = 0;

  constructor(database: DatabaseSync) {
    this.#statements = {
      last: database.prepare('SELECT coalesce(max(sequence), 0) AS last FROM scan_log'),
      since: database.prepare(
        `SELECT ticket, uses_consumed, at FROM scan_log
         WHERE sequence > ? AND status = 'consumed' AND replayed = 0 ORDER BY sequence`,
      ),
      write: database.prepare(
        'UPDATE ticket_use SET uses_consumed = ?, last_consumed_at = ? WHERE ticket = ?',
      ),
      folded: database.prepare('UPDATE state SET folded = ?'),
    };
  }

  /** Entries of the log since the last fold; the same ticket may be in many of them. */
  get entries(): number {
    return this.#folded < 0 ? 0 : this.#seen - this.#folded;
  }

  of(ticketRow: number): Use | undefined {
    return this.#uses.get(ticketRow);
  }

  add(ticketRow: number, use: Use): void {
    this.#uses.set(ticketRow, use);
  }

  /**
   * Reads what other processes have logged; called first in a write transaction.
   * @param folded the last log entry that the counters hold, as the database says
   * @returns the last log entry there is
   */
  catchUp(folded: number): number {
    // Another process has folded: what it wrote need not be remembered here.
    if (folded !== this.#folded) this.forget();
    const last = this.#statements.last.get()?.['last'] as number;
    // The log is shorter than it was: somebody has put an older file in its place.
    if (last < this.#seen) this.forget();
    const seen = Math.max(this.#seen, folded);
    if (last !== seen) {
      for (const row of this.#statements.since.iterate(seen)) {
        const usesConsumed = row['uses_consumed'] as number;
        this.add(row['ticket'] as number, { usesConsumed, lastConsumedAt: row['at'] as number });
      }
    }
    this.#folded = folded;
    this.#seen = last;
    return last;
  }

  /** This process has logged up to `sequence`, and passed every use to `add`. */
  wrote(sequence: number): void {
    this.#seen = sequence;
  }

  /** Writes the counters, after `catchUp` in the same transaction. */
  fold(): void {
    const inFileOrder = Float64Array.from(this.#uses.keys()).sort();
    for (const ticketRow of inFileOrder) {
      const { usesConsumed, lastConsumedAt } = this.#uses.get(ticketRow) as Use;
      const { changes } = this.#statements.write.run(usesConsumed, lastConsumedAt, ticketRow);
      if (changes !== 1) throw new Error(`the counter of ticket row ${ticketRow} is missing`);
    }
    this.#statements.folded.run(this.#seen);
    this.#uses.clear();
    this.#folded = this.#seen;
  }

  /** Starts again from the database. */
  forget(): void {
    this.#uses.clear();
    this.#seen = 0;
    this.#folded = -1;
  }
}
