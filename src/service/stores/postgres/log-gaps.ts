import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientBase } from 'pg';

/** Longer than a transaction lasts that does not wait for a standby. */
const GAP_AGE_MS = 15_000;
const GAP_POLL_MS = 20;

/**
 * Batches take their numbers before they commit, so that an entry may appear after one with a higher number. Who reads on
 * from a number would miss it: this waits until it is there, or cannot come any more because it was rolled back.
 * @param range `upTo` is a number that an entry has: those who take theirs later get higher ones. `limit` is how many entries to look at.
 */
export async function closeLogGaps(
  client: ClientBase,
  range: { readonly afterSequence: number; readonly upTo: number; readonly limit: number },
): Promise<void> {
  const { afterSequence, upTo, limit } = range;
  for (;;) {
    const { rows } = await client.query<{ open: boolean }>(OPEN_GAP, [
      ...[afterSequence, limit],
      ...[GAP_AGE_MS, upTo],
    ]);
    if (!rows[0]?.open) return;
    await sleep(GAP_POLL_MS);
  }
}

/**
 * A number that is missing before an entry of that age was never used, unless somebody has been writing to the log for longer: a commit
 * may wait for its standby for minutes. Whoever took a number has held this lock since before.
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
 * Resolves when every batch has ended that may have been decided before this was called: what was committed until then holds for all
 * answers afterwards. Batches hold one of these locks from before they read keys and events until they end.
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
