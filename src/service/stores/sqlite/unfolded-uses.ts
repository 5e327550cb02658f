import type { DatabaseSync, StatementSync } from 'node:sqlite';

export interface Use {
  readonly usesConsumed: number;
  readonly lastConsumedAt: number | null;
}

/** Counters on their way into the file: few at a time, so that no scan waits long for them. */
interface Round {
  /** All uses up to the log entry `upTo`. */
  readonly uses: ReadonlyMap<number, Use>;
  readonly upTo: number;
  /** Of the tickets, in the order of the file. */
  readonly rows: Float64Array;
  /** How many of `rows` are written. */
  written: number;
}

/**
 * The uses that are in the log but not yet in the counters, of this process and of every other on the file.
 *
 * A use costs one row at the end of the log; its counter is a row somewhere on a page of its own, and is written later,
 * with many others, in the order of the file. Log rows carry the counter itself, not an increment, so applying one
 * twice changes nothing.
 */
export class UnfoldedUses {
  /** Since the round began, or all. */
  #uses = new Map<number, Use>();
  #round: Round | undefined;
  readonly #statements: {
    readonly since: StatementSync;
    readonly write: StatementSync;
    readonly folded: StatementSync;
  };
  #folded = 0;
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
      folded: database.prepare('UPDATE state SET folded = ?'),
    };
  }

  /** Entries of the log since the last fold; the same ticket may be in many of them. */
  get entries(): number {
    return this.#folded < 0 ? 0 : this.#seen - this.#folded;
  }

  /** Whether `foldSome` has begun and is not done. */
  get isFolding(): boolean {
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
   * @param folded the last log entry that the counters hold, as the database says
   * @param last the last log entry there is
   */
  catchUp(folded: number, last: number): void {
    // Another process has folded: what it wrote need not be remembered here.
    if (folded !== this.#folded) this.forget();
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
  }

  /** This process has logged up to `sequence`, and passed every use to `add`. */
  wrote(sequence: number): void {
    this.#seen = sequence;
  }

  /** Writes all counters, after `catchUp` in the same transaction. */
  fold(): void {
    const uses = new Map([...(this.#round?.uses ?? []), ...this.#uses]);
    const round = { uses, upTo: this.#seen, rows: inFileOrder(uses), written: 0 };
    this.#uses = new Map();
    this.#write(round, round.rows.length);
  }

  /**
   * Writes the next `count` counters, after `catchUp` in the same transaction. What the log says is in the file only when all of
   * them are: until then another process, or this one after a crash, reads the log from where it began before.
   */
  foldSome(count: number): void {
    if (!this.#round) {
      this.#round = {
        uses: this.#uses,
        upTo: this.#seen,
        rows: inFileOrder(this.#uses),
        written: 0,
      };
      this.#uses = new Map();
    }
    this.#write(this.#round, count);
  }

  #write(round: Round, count: number): void {
    const end = round.written + count;
    for (const ticketRow of round.rows.subarray(round.written, end)) {
      const { usesConsumed, lastConsumedAt } = round.uses.get(ticketRow) as Use;
      const { changes } = this.#statements.write.run(usesConsumed, lastConsumedAt, ticketRow);
      if (changes !== 1) throw new Error(`the counter of ticket row ${ticketRow} is missing`);
    }
    round.written = end;
    if (end < round.rows.length) return;
    this.#statements.folded.run(round.upTo);
    this.#folded = round.upTo;
    this.#round = undefined;
  }

  /** Starts again from the database. */
  forget(): void {
    this.#uses.clear();
    this.#round = undefined;
    this.#seen = 0;
    this.#folded = -1;
  }
}

function inFileOrder(uses: ReadonlyMap<number, Use>): Float64Array {
  return Float64Array.from(uses.keys()).sort();
}
