import type { ClientBase } from 'pg';
import type { BatchRequest } from '../../core/scan-requests.ts';
import type { BatchState, MonthCount, Passages } from './batch-state.ts';
import type { Connections } from './connections.ts';
import { isFailedCheck } from './failures.ts';
import { arraysOf, type Columns, insertRows } from './statement-values.ts';

/**
 * Requests are counted in several rows (shards) for each key and month, so that batches do not wait for each other's commit. Each
 * connection counts in one row, and holds its lock until the commit.
 */
export const COUNT_SHARDS = 16;
/** A batch with more requests than this counts exactly. */
export const LOOSE_REQUESTS_MAX = 512;
/** The most requests that batches on all other rows can have counted but not committed yet. */
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

/** Counts the batch's requests, and the people who went in and out, in the rows of this shard. */
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
  // The order of the rows, so that two batches never deadlock.
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

/** The SQL of the limits: $1 are the keys, $2 the months. */
export const SUM_OF_COUNTS = `
  SELECT key_id, month, sum(requests)::bigint AS requests FROM api_key_usage
  WHERE key_id = ANY($1::text[]) AND month = ANY($2::integer[]) GROUP BY key_id, month`;

const LOCK = `
  INSERT INTO api_key_usage (key_id, month, shard, requests)
  SELECT key_id, month, shard, 0 FROM unnest($1::text[]) AS k (key_id), unnest($2::integer[]) AS m (month),
    generate_series(0, $3::integer - 1) AS s (shard) ORDER BY key_id, month, shard
  ON CONFLICT (key_id, month, shard) DO UPDATE SET requests = api_key_usage.requests`;

const SHARD = { shard: '$1::integer' };

const ADD = `
  ${insertRows('api_key_usage', MONTHS, 2, SHARD)}
  ON CONFLICT (key_id, month, shard) DO UPDATE SET requests = api_key_usage.requests + excluded.requests,
    last_used_at = greatest(api_key_usage.last_used_at, excluded.last_used_at)`;

/** Writes all counts in one statement, because a statement costs the server as much as several rows. */
const ADD_ALL = `
  WITH passed AS (
    ${insertRows('event_occupancy', PASSAGES, 2 + MONTHS.length, SHARD)}
    ON CONFLICT (event_id, shard) DO UPDATE SET entered = event_occupancy.entered + excluded.entered,
      exited = event_occupancy.exited + excluded.exited
  ) ${ADD}`;

const REFUSE_NEAR_QUOTA = `
  SELECT 1 / (sum(u.requests) + $4::bigint <= w.quota)::integer
  FROM unnest($1::text[], $2::integer[], $3::bigint[]) AS w (key_id, month, quota)
    JOIN api_key_usage u ON u.key_id = w.key_id AND u.month = w.month
  GROUP BY w.key_id, w.month, w.quota`;

/** The tokens that a key's bucket gave. */
interface Taken {
  readonly key_id: string;
  readonly granted: number;
  /** Time until there is another token, for requests that got none. */
  readonly wait_ms: number;
}

/** Requests that got no token: how long each has to wait, by its index in the batch. */
export type Refused = ReadonlyMap<number, number>;

/**
 * Takes a token for each request that wants one; earlier requests of the batch come first. The token buckets of keys are shared
 * by every instance on the database, with one row per key, so that all instances together let through as many requests as one would. A batch
 * keeps no tokens for later: an instance that kept some would take them from the others.
 *
 * Taking is a transaction of its own, which does not wait for the disk; its row is locked for microseconds.
 * @param connections with `synchronous_commit = off`
 */
export async function takeTokens(
  connections: Connections,
  requests: readonly BatchRequest[],
): Promise<Refused> {
  const wanted = new Map<string, number>();
  for (const request of requests) {
    if (wantsToken(request)) wanted.set(request.keyId, (wanted.get(request.keyId) ?? 0) + 1);
  }
  const refused = new Map<number, number>();
  if (wanted.size === 0) return refused;
  const values = [[...wanted.keys()], [...wanted.values()]];
  const { rows } = await connections.with((client) =>
    client.query<Taken>({ name: 'take-tokens', text: TAKE, values }),
  );
  const taken = new Map(rows.map((row) => [row.key_id, row]));
  const given = new Map<string, number>();
  for (const [index, request] of requests.entries()) {
    if (!wantsToken(request)) continue;
    const bucket = taken.get(request.keyId);
    const number = (given.get(request.keyId) ?? 0) + 1;
    given.set(request.keyId, number);
    // A key without a bucket was deleted, and the decision refuses it.
    if (bucket && number > bucket.granted) refused.set(index, bucket.wait_ms);
  }
  return refused;
}

/** Whether this request takes a token from the key's shared bucket. A request that its own instance refused takes none. */
export function wantsToken({ rate, kind }: BatchRequest): boolean {
  return rate !== undefined && kind !== 'limited' && kind !== 'relayed';
}

/**
 * Locks in the order of the keys. The time is the server's, read after the lock: one clock for all instances. If the clock is
 * set back, a bucket gains nothing at its next request only.
 */
const TAKE = `
  WITH locked AS (
    SELECT b.key_id, b.tokens, b.filled_at, o.rate_per_second, o.burst, w.wanted
    FROM unnest($1::text[], $2::integer[]) AS w (key_id, wanted)
      JOIN rate_bucket b ON b.key_id = w.key_id
      JOIN api_key k ON k.id = b.key_id
      JOIN organisation o ON o.id = k.organisation_id
    ORDER BY b.key_id FOR UPDATE OF b
  ), timed AS (
    SELECT *, extract(epoch FROM clock_timestamp())::double precision AS now FROM locked
  ), filled AS (
    SELECT key_id, wanted, rate_per_second, now,
      least(burst, tokens + greatest(0, now - filled_at) * rate_per_second) AS available
    FROM timed
  ), given AS (
    SELECT *, least(wanted, floor(available)) AS granted FROM filled
  )
  UPDATE rate_bucket b SET tokens = g.available - g.granted, filled_at = g.now FROM given g WHERE b.key_id = g.key_id
  RETURNING b.key_id, g.granted::integer AS granted,
    ((1 - (g.available - g.granted)) / g.rate_per_second * 1000)::double precision AS wait_ms`;
