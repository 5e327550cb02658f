import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientBase } from 'pg';

/** Longer than any transaction may last: a number that is missing before an entry of this age was never used. */
const GAP_AGE_MS = 15_000;
const GAP_POLL_MS = 20;

/**
 * Batches take their numbers before they commit, so that an entry may appear after one with a higher number. Who reads on
 * from a number would miss it: this waits until it is there, or cannot come any more because it was rolled back.
 */
export async function closeLogGaps(
  client: ClientBase,
  afterSequence: number,
  limit: number,
): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ open: boolean }>(OPEN_GAP, [
      afterSequence,
      limit,
      GAP_AGE_MS,
    ]);
    if (!rows[0]?.open) return;
    await sleep(GAP_POLL_MS);
  }
}

const OPEN_GAP = `
  SELECT EXISTS (
    SELECT 1 FROM (
      SELECT sequence, logged_at, lag(sequence, 1, $1::bigint) OVER (ORDER BY sequence) AS before
      FROM (SELECT sequence, logged_at FROM scan_log WHERE sequence > $1 ORDER BY sequence LIMIT $2) AS page
    ) AS pairs
    WHERE sequence > before + 1 AND logged_at > floor(extract(epoch FROM now()) * 1000) - $3
  ) AS open`;
