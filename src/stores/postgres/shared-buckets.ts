import type { BatchRequest } from '../../core/scan-batch.ts';
import type { Connections } from './connections.ts';

/** The tokens that a key's bucket gave. */
interface Taken {
  readonly granted: number;
  /** Time until there is another token, for requests that got none. */
  readonly waitMs: number;
}

/** Requests that got no token: how long each has to wait, by its index in the batch. */
export type Refused = ReadonlyMap<number, number>;

const NONE: Refused = new Map();

/**
 * The token buckets of keys, shared by every instance on the database: one row per key, so that all instances together
 * let through as many requests as one would. A batch takes a token for each of its requests and keeps none for later: an
 * instance that kept tokens would take them from the others.
 *
 * Taking is a transaction of its own that need not wait for the disk; its row is locked for microseconds.
 */
export class SharedBuckets {
  readonly #connections: Connections;

  /** @param connections with `synchronous_commit = off` */
  constructor(connections: Connections) {
    this.#connections = connections;
  }

  /** Takes a token for each request that wants one. The earlier requests of the batch get what there is. */
  async take(requests: readonly BatchRequest[]): Promise<Refused> {
    const wanted = new Map<string, number>();
    for (const request of requests) {
      if (wantsToken(request)) wanted.set(request.keyId, (wanted.get(request.keyId) ?? 0) + 1);
    }
    if (wanted.size === 0) return NONE;
    const taken = await this.#take(wanted);
    const given = new Map<string, number>();
    const refused = new Map<number, number>();
    for (const [index, request] of requests.entries()) {
      if (!wantsToken(request)) continue;
      const bucket = taken.get(request.keyId);
      const number = (given.get(request.keyId) ?? 0) + 1;
      given.set(request.keyId, number);
      // A key without a bucket was deleted: the decision refuses it.
      if (bucket && number > bucket.granted) refused.set(index, bucket.waitMs);
    }
    return refused;
  }

  async #take(wanted: ReadonlyMap<string, number>): Promise<Map<string, Taken>> {
    const values = [[...wanted.keys()], [...wanted.values()]];
    const { rows } = await this.#connections.with((client) =>
      client.query<{ key_id: string; granted: number; wait_ms: number }>({
        name: 'take-tokens',
        text: TAKE,
        values,
      }),
    );
    return new Map(rows.map((row) => [row.key_id, { granted: row.granted, waitMs: row.wait_ms }]));
  }
}

/** Whether the key's one bucket is asked for this request. A request that its own instance refused takes nothing there. */
export function wantsToken({ rate, kind }: BatchRequest): boolean {
  return rate !== undefined && kind !== 'limited';
}

/**
 * Locks in the order of the keys. The time is the server's, read after the lock: one clock for all instances. When it is
 * set back, nothing is regained for once.
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
