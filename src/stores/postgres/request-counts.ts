import type { ClientBase } from 'pg';
import type { BatchState, MonthCount } from './batch-state.ts';

/**
 * Requests are counted in several rows for each key and month, so that batches do not wait for each other's commit. Each
 * connection counts in one of them, and holds it from there to its commit.
 */
export const COUNT_SHARDS = 16;
/** A batch with more requests than this counts exactly. */
export const LOOSE_REQUESTS_MAX = 512;
/** What the holders of all other rows may have counted and not yet committed. */
const HEADROOM = (COUNT_SHARDS - 1) * LOOSE_REQUESTS_MAX;

/** So near to a quota it must be known who counts how much: the batch is decided again, with all rows locked. */
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

/** What was counted so far, and committed. */
export async function readCounts(client: ClientBase, wanted: Counted): Promise<CountRow[]> {
  const values = [wanted.keyIds, wanted.months];
  return (await client.query<CountRow>({ name: 'counts', text: SUM_OF_COUNTS, values })).rows;
}

/** Locks the counts, so that nobody else counts until this transaction ends. */
export async function lockCounts(client: ClientBase, wanted: Counted): Promise<void> {
  const values = [wanted.keyIds, wanted.months, COUNT_SHARDS];
  await client.query({ name: 'lock-counts', text: LOCK, values });
}

/** Counts the batch's requests in the rows of this shard. */
export async function writeCounts(
  client: ClientBase,
  counted: readonly MonthCount[],
  shard: number,
): Promise<void> {
  const keyIds = counted.map(({ keyId }) => keyId);
  const months = counted.map(({ month }) => month);
  const added = counted.map(({ added }) => added);
  await client.query({ name: 'count', text: ADD, values: [keyIds, months, added, shard] });
}

/**
 * Proves, after `writeCounts`, that no quota can be passed: whoever looks last sees what all others have committed, and
 * what they have not is within the headroom.
 * @throws QuotaNear when that cannot be said
 */
export function refuseNearQuota(state: BatchState, rows: readonly CountRow[]): void {
  for (const { key_id, requests } of rows) {
    const quota = state.key(key_id)?.quotaPerMonth;
    if (quota !== undefined && requests + HEADROOM > quota) throw new QuotaNear();
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
  INSERT INTO api_key_usage (key_id, month, shard, requests)
  SELECT key_id, month, $4::integer, added FROM unnest($1::text[], $2::integer[], $3::bigint[]) AS c (key_id, month, added)
  ON CONFLICT (key_id, month, shard) DO UPDATE SET requests = api_key_usage.requests + excluded.requests`;
