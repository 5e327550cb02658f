import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import { monthOf } from '../../core/clock.ts';
import type { LogEntry } from '../../core/records.ts';
import { LOG } from '../sql/tables.ts';
import type { Connections } from './connections.ts';
import { arraysOf, type Columns, columnsFor, insertRows } from './statement-values.ts';
import { inTransaction } from './transaction.ts';

/** Makes the parts of the log that these entries need, each in a transaction of its own. An empty part does no harm. */
export async function preparePartitions(
  client: ClientBase,
  entries: readonly Pick<LogEntry, 'at'>[],
): Promise<void> {
  const now = Date.now();
  for (const part of new Set(entries.map(({ at }) => partOf(at, now))))
    await createPartition(client, part);
}

type Entry = Omit<LogEntry, 'sequence'>;

/** The columns of an entry with its number. The database numbers a new entry, so `LOG_COLUMNS` has no number. */
const NUMBERED: Columns<LogEntry> = [
  ['month', 'integer', ({ at }, now) => partOf(at, now)],
  ...columnsFor(LOG),
];
export const LOG_COLUMNS: Columns<Entry> = NUMBERED.filter(
  ([name]) => name !== 'sequence',
) as readonly unknown[] as Columns<Entry>;

/**
 * Inserts entries with their numbers, inside the caller's transaction; the next scan gets the next number. `logged_at` is 0: a number that
 * is missing before one of them was missing in their source, so no reader waits for it.
 */
export async function insertLog(client: ClientBase, entries: readonly LogEntry[]): Promise<void> {
  await client.query(
    insertRows('scan_log', NUMBERED, 1, { logged_at: '0' }),
    arraysOf(NUMBERED, entries, Date.now()),
  );
  await client.query("SELECT setval('scan_log_sequence', (SELECT max(sequence) FROM scan_log))");
}

/** Appends an entry, inside the caller's transaction; its part of the log exists already. @returns its number */
export async function appendLogEntry(client: ClientBase, entry: Entry): Promise<number> {
  const { rows } = await client.query<{ sequence: number }>(
    `${insertRows('scan_log', LOG_COLUMNS)} RETURNING sequence`,
    arraysOf(LOG_COLUMNS, [entry], Date.now()),
  );
  return rows[0]?.sequence ?? 0;
}

/** The log is kept in one part for each month (UTC), so that old months can be dropped whole. */
export class LogPartitions {
  readonly #connections: Connections;
  readonly #ready = new Set<number>();

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  /** Makes the parts of these months and of the month after each, so that no scan waits at midnight. */
  async ensure(months: readonly number[]): Promise<void> {
    for (const month of months) {
      if (this.#ready.has(month)) continue;
      for (const wanted of [month, nextMonth(month)]) await this.#create(wanted);
      this.#ready.add(month);
    }
  }

  /** Forgets which parts exist, because another process has dropped one. */
  forget(): void {
    this.#ready.clear();
  }

  async #create(month: number): Promise<void> {
    await this.#connections.with((client) => createPartition(client, month));
  }
}

/**
 * The month whose part an entry goes into: the month of its time, but not one ahead of the clock. A ticket can bring a time from
 * the future, and parts that no clock has reached would never be pruned.
 */
export function partOf(at: number, now: number): number {
  return monthOf(Math.min(at, now));
}

const ADVISORY_LOCK = 0x6c6f67;

/** Makes the part of one month, unless it exists. Several processes may do so at once. */
async function createPartition(client: ClientBase, month: number): Promise<void> {
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

/** The month after one such as 202612. */
function nextMonth(month: number): number {
  return month % 100 === 12 ? month + 89 : month + 1;
}

/** A transaction that does not wait for a standby takes less time than this. */
const GAP_AGE_MS = 15_000;
const GAP_POLL_MS = 20;

/**
 * Batches take their numbers before they commit, so an entry may appear after one with a higher number. A reader that continues
 * from a number would miss it. This waits until the entry is there, or can no longer come because it was rolled back.
 * @param range `upTo` is the number of an entry: numbers taken later are higher. `limit` is how many entries to examine.
 */
export async function awaitLogGaps(
  client: ClientBase,
  range: { readonly afterSequence: number; readonly upTo: number; readonly limit: number },
): Promise<void> {
  const { afterSequence, upTo, limit } = range;
  for (;;) {
    const values = [afterSequence, limit, GAP_AGE_MS, upTo];
    const { rows } = await client.query<{ open: boolean }>(OPEN_GAP, values);
    if (!rows[0]?.open) return;
    await sleep(GAP_POLL_MS);
  }
}

/**
 * Finds open gaps. A number that is missing before an entry of that age was never used, unless a transaction has been writing to the log
 * for longer: a commit may wait minutes for its standby. A transaction that took a number has held this lock since before that.
 */
const OPEN_GAP = `
  WITH gap AS (
    SELECT max(logged_at) AS logged_at FROM (
      SELECT sequence, logged_at, lag(sequence, 1, $1::bigint) OVER (ORDER BY sequence) AS before
      FROM (SELECT sequence, logged_at FROM scan_log WHERE sequence > $1 AND sequence <= $4 ORDER BY sequence LIMIT $2) AS page
    ) AS pairs
    WHERE sequence > before + 1
  ), clock AS (SELECT floor(extract(epoch FROM now()) * 1000) - $3 AS limit_at)
  SELECT CASE
    WHEN logged_at IS NULL THEN false
    WHEN logged_at > limit_at THEN true
    ELSE EXISTS (
      SELECT 1 FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
      WHERE l.relation = 'scan_log'::regclass AND l.mode = 'RowExclusiveLock'
        AND a.xact_start < to_timestamp((logged_at + $3) / 1000.0)
    ) END AS open
  FROM gap, clock`;

const UNDER_WAY = `
  SELECT virtualtransaction AS name FROM pg_locks WHERE granted AND pid <> pg_backend_pid() AND (
    (relation = 'ticket'::regclass AND mode = 'RowShareLock') OR (relation = 'scan_log'::regclass AND mode = 'RowExclusiveLock'))`;

/**
 * Resolves when every batch that may have been decided before the call has ended: what was committed until then applies to all
 * later answers. A batch holds one of these locks from before it reads keys and events until it ends.
 */
export async function waitForBatches(client: ClientBase): Promise<void> {
  const underWay = async () => {
    const { rows } = await client.query<{ name: string }>(UNDER_WAY);
    return new Set(rows.map(({ name }) => name));
  };
  const before = await underWay();
  while (before.size > 0) {
    const now = await underWay();
    for (const name of before) if (!now.has(name)) before.delete(name);
    if (before.size > 0) await sleep(GAP_POLL_MS);
  }
}
