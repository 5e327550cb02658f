import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { messageOf } from '../../core/errors.ts';
import type { PostgresHost } from './address.ts';
import { isLostConnection } from './failures.ts';

/** A server that does not answer within this time is passed over. */
const CONNECT_TIMEOUT_MS = 2000;
const LOCK_TIMEOUT_MS = 2000;
const STATEMENT_TIMEOUT_MS = 2500;
/** Above the server's own limit: it ends what that does not, such as the wait for a standby or a silent network. */
const ANSWER_TIMEOUT_MS = 3000;
const IDLE_IN_TRANSACTION_MS = 10_000;
const RETRY_MS = 50;
const RETRY_MS_MAX = 400;

const INT8 = 20;
/** Every number here is below 2^53; the driver would give strings. */
const TYPES: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8
      ? Number
      : pg.types.getTypeParser(oid, format)) as pg.CustomTypesConfig['getTypeParser'],
};

export interface ConnectionOptions {
  readonly connectionsMax: number;
  /** Server settings of these connections, for example `-c synchronous_commit=off`. */
  readonly options?: string;
  /** For work that is long by nature: no time limits on statements. */
  readonly patient?: boolean;
}

/**
 * Connections to whichever of the servers takes writes. When that one is lost, the next connection is looked for on all
 * of them.
 */
export class Connections {
  readonly #pools: { readonly host: PostgresHost; readonly pool: pg.Pool }[];
  #current = 0;
  #closed = false;

  constructor(hosts: readonly PostgresHost[], wanted: ConnectionOptions) {
    this.#pools = hosts.map((host) => ({ host, pool: poolFor(host, wanted) }));
  }

  /** A connection to a server that takes writes. @throws the error of the last server when there is none */
  async take(): Promise<pg.PoolClient> {
    let last: unknown;
    for (let tried = 0; tried < this.#pools.length; tried += 1) {
      if (this.#closed) throw new Error('the store is closed');
      const index = (this.#current + tried) % this.#pools.length;
      try {
        const client = await this.#pools[index]?.pool.connect();
        if (client) {
          this.#current = index;
          return client;
        }
      } catch (error) {
        last = worse(last, error);
      }
    }
    throw last;
  }

  /** As `take`, again and again until `deadlineMs` (of `performance.now()`): a fail-over takes its time. */
  async takeBefore(deadlineMs: number): Promise<pg.PoolClient> {
    for (let waitMs = RETRY_MS; ; waitMs = Math.min(waitMs * 2, RETRY_MS_MAX)) {
      try {
        return await this.take();
      } catch (error) {
        if (this.#closed || !isLostConnection(error) || performance.now() + waitMs > deadlineMs)
          throw error;
        await sleep(waitMs);
      }
    }
  }

  /** Runs `work` on a connection; one that failed is not used again. */
  async with<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
    const client = await this.take();
    let failed: unknown;
    try {
      return await work(client);
    } catch (error) {
      failed = error;
      throw error;
    } finally {
      client.release(isLostConnection(failed));
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#pools.map(({ pool }) => pool.end()));
  }
}

/** The more useful of two errors: that of a server that answers, before that of one that does not. */
function worse(before: unknown, now: unknown): unknown {
  return before !== undefined && /ECONNREFUSED/.test(messageOf(now)) ? before : now;
}

function poolFor(host: PostgresHost, wanted: ConnectionOptions): pg.Pool {
  const options = [optionsOf(host.url), wanted.options].filter(Boolean).join(' ');
  const limits = wanted.patient
    ? {}
    : {
        statement_timeout: STATEMENT_TIMEOUT_MS,
        lock_timeout: LOCK_TIMEOUT_MS,
        query_timeout: ANSWER_TIMEOUT_MS,
        idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
      };
  const pool = new pg.Pool({
    connectionString: withoutOptions(host.url),
    ...(options !== '' && { options }),
    ...limits,
    application_name: 'ticketscan',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    max: wanted.connectionsMax,
    keepAlive: true,
    pipeline: true,
    types: TYPES,
    verify: refuseReader,
  });
  // An idle connection that breaks leaves the pool by itself; without a listener it would end the process.
  pool.on('error', () => {});
  return pool;
}

/** A standby, or a primary in read-only mode, cannot be used: the next server is tried. */
function refuseReader(client: pg.PoolClient, done: (error?: Error) => void): void {
  // A connection may break while it is idle.
  client.on('error', () => {});
  // Few statements, asked all the time, always with the same plan: planning would cost as much as running. Servers that
  // know no such setting do without it.
  client.query('SET plan_cache_mode = force_generic_plan').catch(() => {});
  client.query<{ transaction_read_only: string }>('SHOW transaction_read_only').then(({ rows }) => {
    const reads = rows[0]?.transaction_read_only === 'on';
    done(reads ? Object.assign(new Error('the server is read-only'), READ_ONLY) : undefined);
  }, done);
}

const READ_ONLY = { code: '25006', severity: 'FATAL' };

function optionsOf(url: string): string | undefined {
  return new URL(url).searchParams.get('options') ?? undefined;
}

/** The driver lets the URL win over its arguments, and we have options to add. */
function withoutOptions(url: string): string {
  const parsed = new URL(url);
  parsed.searchParams.delete('options');
  return parsed.href;
}
