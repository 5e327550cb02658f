import type { ClientBase } from 'pg';
import type { BatchState, MonthCount, Passages } from './batch-state.ts';
import { isFailedCheck } from './failures.ts';
import { arraysOf, type Columns, namesOf, unnested } from './statement-values.ts';

/**
 * Requests are counted in several rows for each key and month, so that batches do not wait for each other's commit. Each
 * connection counts in one of them, and holds it from there to its commit.
 */
export const COUNT_SHARDS = 16;
/** A batch with more requests than this counts exactly. */
export const LOOSE_REQUESTS_MAX = 512;
/** As many requests as the holders of all other rows can have counted without having committed them. */
const HEADROOM = (COUNT_SHARDS - 1) * LOOSE_REQUESTS_MAX;

/** A count is too near to its quota for loose counting: the batch is decided again, with all rows locked. */
export class QuotaNear extends Error {}

export interface CountRow {
  readonly key_id: string;
  readonly month: number;
  readonly requests: number;
}

interface Counted {
  readonly keyIds: readonly string[];
  readonly months: readonly number[];
}

/** Locks the counts, so that no other transaction counts until this one ends. */
export async function lockCounts(client: ClientBase, wanted: Counted): Promise<void> {
  const values = [wanted.keyIds, wanted.months, COUNT_SHARDS];
  await client.query({ name: 'lock-counts', text: LOCK, values });
}

/** Counts the batch's requests, and who went in and out, in the rows of this shard. */
export async function writeCounts(
  client: ClientBase,
  { counted, passages }: Pick<BatchState, 'counted' | 'passages'>,
  shard: number,
): Promise<void> {
  const values = [shard, ...arraysOf(MONTHS, counted)];
  if (passages.size === 0) {
    await client.query({ name: 'count', text: ADD, values });
    return;
  }
  // In the order of the rows, so that two batches never deadlock.
  const moved = [...passages].sort(([a], [b]) => (a < b ? -1 : 1));
  values.push(...arraysOf(PASSAGES, moved));
  await client.query({ name: 'count-all', text: ADD_ALL, values });
}

const MONTHS: Columns<MonthCount> = [
  ['key_id', 'text', ({ keyId }) => keyId],
  ['month', 'integer', ({ month }) => month],
  ['requests', 'bigint', ({ added }) => added],
  ['last_used_at', 'bigint', ({ lastUsedAt }) => lastUsedAt],
];

const PASSAGES: Columns<readonly [string, Passages]> = [
  ['event_id', 'text', ([eventId]) => eventId],
  ['entered', 'bigint', ([, { entered }]) => entered],
  ['exited', 'bigint', ([, { exited }]) => exited],
];

/**
 * Proves, after `writeCounts`, that no quota can be exceeded: the last transaction to check sees all committed counts, and
 * `HEADROOM` bounds those that are not committed yet. The server answers with an error, so that a COMMIT already under
 * way behind it rolls back.
 * @throws QuotaNear when a count is within the headroom of its quota
 */
export async function refuseNearQuota(
  client: ClientBase,
  counted: readonly MonthCount[],
  state: BatchState,
): Promise<void> {
  const keyIds = counted.map(({ keyId }) => keyId);
  const months = counted.map(({ month }) => month);
  const quotas = counted.map(({ keyId }) => state.key(keyId)?.quotaPerMonth ?? null);
  const values = [keyIds, months, quotas, HEADROOM];
  try {
    await client.query({ name: 'near-quota', text: REFUSE_NEAR_QUOTA, values });
  } catch (error) {
    throw isFailedCheck(error) ? new QuotaNear() : error;
  }
}

/** $1 the keys, $2 the months. */
export const SUM_OF_COUNTS = `
  SELECT key_id, month, sum(requests)::bigint AS requests FROM api_key_usage
  WHERE key_id = ANY($1::text[]) AND month = ANY($2::integer[]) GROUP BY key_id, month`;

const LOCK = `
  INSERT INTO api_key_usage (key_id, month, shard, requests)
  SELECT key_id, month, shard, 0 FROM unnest($1::text[]) AS k (key_id), unnest($2::integer[]) AS m (month),
    generate_series(0, $3::integer - 1) AS s (shard) ORDER BY key_id, month, shard
  ON CONFLICT (key_id, month, shard) DO UPDATE SET requests = api_key_usage.requests`;

const ADD = `
  INSERT INTO api_key_usage (shard, ${namesOf(MONTHS)}) SELECT $1::integer, * FROM ${unnested(MONTHS, 2)}
  ON CONFLICT (key_id, month, shard) DO UPDATE SET requests = api_key_usage.requests + excluded.requests,
    last_used_at = greatest(api_key_usage.last_used_at, excluded.last_used_at)`;

/** One statement: each costs the server as much as several rows. */
const ADD_ALL = `
  WITH passed AS (
    INSERT INTO event_occupancy (shard, ${namesOf(PASSAGES)})
    SELECT $1::integer, * FROM ${unnested(PASSAGES, 2 + MONTHS.length)}
    ON CONFLICT (event_id, shard) DO UPDATE SET entered = event_occupancy.entered + excluded.entered,
      exited = event_occupancy.exited + excluded.exited
  ) ${ADD}`;

const REFUSE_NEAR_QUOTA = `
  SELECT 1 / (sum(u.requests) + $4::bigint <= w.quota)::integer
  FROM unnest($1::text[], $2::integer[], $3::bigint[]) AS w (key_id, month, quota)
    JOIN api_key_usage u ON u.key_id = w.key_id AND u.month = w.month
  GROUP BY w.key_id, w.month, w.quota`;
