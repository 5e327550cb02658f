import type { DatabaseSync } from 'node:sqlite';
import type { Use } from './unfolded-uses.ts';

/** The uses that the counters do not hold yet, as a process keeps them in memory. */
export interface LatestUses {
  /** Learns inside a transaction what other processes have logged. */
  catchUp(): void;
  usesSince(ticketRow: number): Use | undefined;
  /** Called when a transaction was rolled back. */
  forget(): void;
}

/** The view whose readers must come through `withLatestUses`. */
export const SHOWS_LATEST_USES = 'ticket_record';

/**
 * Gives this connection views of its own in place of `ticket_now` and what is built on it. The file's views read every log
 * entry that is not folded, for each statement; these ask the memory for one ticket at a time.
 */
export function showLatestUses(database: DatabaseSync, latest: LatestUses): void {
  database.function('later_uses', (row) => latest.usesSince(Number(row))?.usesConsumed ?? null);
  database.function('later_at', (row) => latest.usesSince(Number(row))?.lastConsumedAt ?? null);
  const inFile = database
    .prepare("SELECT sql FROM main.sqlite_schema WHERE type = 'view' AND name = ?")
    .get(SHOWS_LATEST_USES);
  // A name means the temporary view where there is one, and only in a temporary view.
  database.exec(`
    CREATE TEMP VIEW ticket_now AS
      SELECT ticket, coalesce(later_uses(ticket), uses_consumed) AS uses_consumed,
        coalesce(later_at(ticket), last_consumed_at) AS last_consumed_at FROM ticket_use;
    ${String(inFile?.['sql']).replace('CREATE VIEW', 'CREATE TEMP VIEW')};
  `);
}

/** Reads once, from one state of the database and of the memory. */
export function withLatestUses<Result>(
  database: DatabaseSync,
  latest: LatestUses,
  read: () => Result,
): Result {
  const alone = !database.isTransaction;
  if (alone) database.exec('BEGIN');
  try {
    latest.catchUp();
    return read();
  } finally {
    if (alone) database.exec('COMMIT');
  }
}
