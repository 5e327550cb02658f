import { setTimeout as sleep } from 'node:timers/promises';
import pg, { type ClientBase } from 'pg';
import { messageOf } from '../../core/errors.ts';
import { defined } from '../../kit/defined.ts';
import type { PostgresHost } from './address.ts';
import { isLostConnection, isUnanswered } from './failures.ts';
import { applySettings, readOptions, type ServerSettings } from './pooler.ts';

/** A server that does not answer within this time is passed over. */
const CONNECT_TIMEOUT_MS = 2000;
export const LOCK_TIMEOUT_MS = 2000;
const STATEMENT_TIMEOUT_MS = 2500;
/**
 * The longest wait for an answer. It is above the server's own limit and ends what that limit does not, such as the wait for a standby or a
 * silent network.
 */
const ANSWER_TIMEOUT_MS = 3000;
const IDLE_IN_TRANSACTION_MS = 10_000;
const RETRY_MS = 50;
const RETRY_MS_MAX = 400;

const INT8 = 20;
/** The driver returns such numbers as strings; every number here is below 2^53. */
const TYPES: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8
      ? Number
      : pg.types.getTypeParser(oid, format)) as pg.CustomTypesConfig['getTypeParser'],
};

export interface ConnectionOptions {
  readonly connectionsMax: number;
  /** Server settings of these connections, such as `synchronous_commit`. */
  readonly settings?: ServerSettings;
  /** True for long work: its statements have no time limit. */
  readonly patient?: boolean;
}

/** Receives a sentence about the servers that the operator should know. */
export type TellOperator = (level: 'info' | 'warn', text: string) => void;

/** What the connections of one store have learned about its servers. */
export class KnownServers {
  readonly hosts: readonly PostgresHost[];
  readonly #timelines = new WeakMap<ClientBase, number>();
  #newestTimeline = 0;
  /** The time since which none of several servers accepts writes, on `performance.now()`. */
  #noneSinceMs: number | undefined;
  /** The index of the server that is tried first. */
  current = 0;
  /** Whether a pooler was found between this program and a server. */
  isPooled = false;
  tell: TellOperator = () => {};

  constructor(hosts: readonly PostgresHost[]) {
    this.hosts = hosts;
  }

  /** @param timeline the number of promotions of a standby that this server's data has seen */
  remember(client: ClientBase, timeline: number): void {
    this.#timelines.set(client, timeline);
    this.#newestTimeline = Math.max(this.#newestTimeline, timeline);
  }

  /** Whether a standby of this connection's server has become the primary meanwhile: what the server wrote since then is lost. */
  isReplaced(client: ClientBase): boolean {
    return (this.#timelines.get(client) ?? 0) < this.#newestTimeline;
  }

  /** Notes that this server accepts writes. */
  found(index: number): void {
    this.current = index;
    if (this.#noneSinceMs === undefined) return;
    const seconds = Math.round((performance.now() - this.#noneSinceMs) / 1000);
    this.#noneSinceMs = undefined;
    this.tell('info', `${this.hosts[index]?.name} accepts writes again, after ${seconds} s.`);
  }

  /** Notes that no server accepts writes. The operator is told once, not with every attempt. */
  foundNone(error: unknown): void {
    const isTold = this.#noneSinceMs !== undefined;
    if (isTold || this.hosts.length === 1 || !isLostConnection(error) || isOwnCrowd(error)) return;
    this.#noneSinceMs = performance.now();
    const names = this.hosts.map(({ name }) => name).join(', ');
    this.tell(
      'warn',
      `No server accepts writes yet (${names}): waiting for the promotion of a standby. Until then scans are answered with 500.`,
    );
  }

  /** Notes that a server did not answer in time: the next one is tried first. */
  suspect(index: number): void {
    if (index === this.current) this.current = (index + 1) % this.hosts.length;
  }
}

/**
 * Connections to the server that accepts writes. When that server is lost, the next connection is looked for on all
 * of them.
 */
export class Connections {
  readonly #servers: KnownServers;
  readonly #pools: readonly pg.Pool[];
  readonly #homes = new WeakMap<ClientBase, number>();
  #closed = false;

  constructor(servers: KnownServers, wanted: ConnectionOptions) {
    this.#servers = servers;
    this.#pools = servers.hosts.map((host) => poolFor(host, wanted, servers));
  }

  /** A connection to a server that takes writes. @throws the error of the last server when there is none */
  async take(): Promise<pg.PoolClient> {
    let last: unknown;
    const first = this.#servers.current;
    for (let tried = 0; tried < this.#pools.length; tried += 1) {
      if (this.#closed) throw new Error('the store is closed');
      const index = (first + tried) % this.#pools.length;
      try {
        const client = await this.#connect(index);
        if (client) return client;
      } catch (error) {
        last = worse(last, error);
      }
    }
    if (!this.#closed) this.#servers.foundNone(last);
    throw last;
  }

  /** Whether a pooler is in between. It may have fewer connections than this pool, and each transaction holds one. */
  get isPooled(): boolean {
    return this.#servers.isPooled;
  }

  async #connect(index: number): Promise<pg.PoolClient | undefined> {
    const client = await this.#pools[index]?.connect();
    if (client && this.#servers.isReplaced(client)) {
      client.release(true);
      throw replaced();
    }
    if (client) {
      this.#homes.set(client, index);
      this.#servers.found(index);
    }
    return client;
  }

  /** Asks every server once: before the first write it must be known which server is the newest primary. */
  async meetAll(): Promise<void> {
    if (this.#pools.length === 1) return;
    const met = this.#pools.map(async (pool) => (await pool.connect()).release());
    await Promise.allSettled(met);
  }

  /** Gives a connection back. @param failed its error: a lost connection is not used again */
  release(client: pg.PoolClient, failed?: unknown): void {
    if (isUnanswered(failed)) this.#servers.suspect(this.#homes.get(client) ?? 0);
    client.release(isLostConnection(failed));
  }

  /** Repeats `take` until `deadlineMs` (of `performance.now()`), because a fail-over takes some time. */
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
      this.release(client, failed);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#pools.map((pool) => pool.end()));
  }
}

/** The more useful of two errors: the error of a server that answers is better than that of one that does not. */
function worse(before: unknown, now: unknown): unknown {
  return before !== undefined && /ECONNREFUSED/.test(messageOf(now)) ? before : now;
}

/** Whether all connections of our own pool are in use: then the server may be well. */
function isOwnCrowd(error: unknown): boolean {
  return /^timeout exceeded when trying to connect/.test(messageOf(error));
}

function poolFor(host: PostgresHost, wanted: ConnectionOptions, servers: KnownServers): pg.Pool {
  const { settings, others } = readOptions(optionsOf(host.url));
  const limits = wanted.patient ? {} : LIMITS;
  const all = { ...settings, ...limits, ...wanted.settings };
  const pool = new pg.Pool({
    connectionString: withoutOptions(host.url),
    ...defined({
      options: others || undefined,
      query_timeout: wanted.patient ? undefined : ANSWER_TIMEOUT_MS,
    }),
    application_name: 'ticketscan',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    max: wanted.connectionsMax,
    keepAlive: true,
    pipeline: true,
    types: TYPES,
    verify: (client: pg.PoolClient, done: Verified) => {
      prepare(client, servers, all).then(() => done(), done);
    },
  });
  // An idle connection that breaks leaves the pool by itself; without a listener it would end the process.
  pool.on('error', () => {});
  return pool;
}

/** The limits by which the server itself ends what takes too long. */
const LIMITS: ServerSettings = {
  statement_timeout: `${STATEMENT_TIMEOUT_MS}ms`,
  lock_timeout: `${LOCK_TIMEOUT_MS}ms`,
  idle_in_transaction_session_timeout: `${IDLE_IN_TRANSACTION_MS}ms`,
};

type Verified = (error?: Error) => void;

/**
 * Makes a new connection ready. A standby, a primary in read-only mode, and a primary that was replaced cannot be used: the next server
 * is tried.
 */
async function prepare(
  client: pg.PoolClient,
  servers: KnownServers,
  settings: ServerSettings,
): Promise<void> {
  // A connection may break while it is idle.
  client.on('error', () => {});
  const applied = applySettings(client, settings, ANSWER_TIMEOUT_MS);
  const probe = (text: string) => ({ text, query_timeout: ANSWER_TIMEOUT_MS });
  const timeline = client.query<{ file: string | null }>(probe(TIMELINE)).then(
    ({ rows }) => Number.parseInt(rows[0]?.file?.slice(0, 8) ?? '0', 16),
    // A server that does not show its timeline counts as one without.
    () => 0,
  );
  const reads = client.query<{ transaction_read_only: string }>(
    probe('SHOW transaction_read_only'),
  );
  const [{ rows }, number, isPooled] = await Promise.all([reads, timeline, applied]);
  if (rows[0]?.transaction_read_only === 'on') throw readOnly();
  servers.remember(client, number);
  if (servers.isReplaced(client)) throw replaced();
  if (!isPooled) return;
  await refuseWithoutTransactions(client);
  servers.isPooled = true;
}

/** A pooler that changes servers between statements cannot be used at all; it says so at the first transaction. */
async function refuseWithoutTransactions(client: pg.PoolClient): Promise<void> {
  await client.query('BEGIN');
  await client.query('ROLLBACK');
}

/** The first eight digits of the name are the timeline. A standby has no such file. */
const TIMELINE =
  'SELECT CASE WHEN NOT pg_is_in_recovery() THEN pg_walfile_name(pg_current_wal_lsn()) END AS file';

const readOnly = () => Object.assign(new Error('the server is read-only'), UNUSABLE);
const replaced = () =>
  Object.assign(new Error('the server was replaced by a standby that was promoted'), UNUSABLE);

const UNUSABLE = { code: '25006', severity: 'FATAL' };

function optionsOf(url: string): string {
  return new URL(url).searchParams.get('options') ?? '';
}

/** Removes the options from the URL: we add some, and the driver would prefer those of the URL. */
function withoutOptions(url: string): string {
  const parsed = new URL(url);
  parsed.searchParams.delete('options');
  return parsed.href;
}
