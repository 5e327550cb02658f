import type { ClientBase } from 'pg';
import { monthOf } from '../../../core/clock.ts';
import type { Connections } from './connections.ts';
import { nextMonth } from './months.ts';
import { inTransaction } from './transaction.ts';

/** The log is kept in one part for each month (UTC), so that old months can be dropped whole. */
export class LogPartitions {
  readonly #connections: Connections;
  readonly #ready = new Set<number>();

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  /** Makes the parts of these months, and of the one after each: nobody should wait at midnight. */
  async ensure(months: readonly number[]): Promise<void> {
    for (const month of months) {
      if (this.#ready.has(month)) continue;
      for (const wanted of [month, nextMonth(month)]) await this.#create(wanted);
      this.#ready.add(month);
    }
  }

  /** Another process has dropped one. */
  forget(): void {
    this.#ready.clear();
  }

  async #create(month: number): Promise<void> {
    await this.#connections.with((client) => createPartition(client, month));
  }
}

/**
 * The month whose part an entry goes into: that of its time, but none ahead of the clock. A ticket can bring a time from
 * the future, and parts that no clock has reached would never be pruned.
 */
export function partOf(at: number, now: number): number {
  return monthOf(Math.min(at, now));
}

const ADVISORY_LOCK = 0x6c6f67;

/** Makes the part of one month, unless it is there. Several processes may ask at once. */
export async function createPartition(client: ClientBase, month: number): Promise<void> {
  const name = partitionName(month);
  const present = 'SELECT to_regclass($1) IS NOT NULL AS present';
  const { rows } = await client.query<{ present: boolean }>(present, [name]);
  if (rows[0]?.present) return;
  await inTransaction(client, async () => {
    await client.query('SELECT pg_advisory_xact_lock($1, hashtext(current_schema()))', [
      ADVISORY_LOCK,
    ]);
    await client.query(
      `CREATE TABLE IF NOT EXISTS ${name} PARTITION OF scan_log FOR VALUES IN (${month})`,
    );
  });
}

/** @param month such as 202611 */
export function partitionName(month: number): string {
  return `scan_log_${month}`;
}
