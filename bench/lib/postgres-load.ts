import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import type { ScanRequest } from '../../src/core/scan-batch.ts';
import { newTicket } from '../../src/core/ticket-changes.ts';
import { Administration } from '../../src/features/keys/administration.ts';
import { CommitQueue } from '../../src/scan/commit-queue.ts';
import { openStore } from '../../src/stores/open-store.ts';
import { COUNT_SHARDS } from '../../src/stores/postgres/request-limits.ts';
import { AN_AUDIT_ENTRY } from '../../test/support/an-audit-entry.ts';
import { PostgresCluster } from '../../test/support/postgres/cluster.ts';
import { UNLIMITED } from './servers.ts';

const CHUNK = 50_000;

const AT_RANDOM = `\\set id random(1, :tickets)
\\set shard random(0, ${COUNT_SHARDS - 1})
`;
const USE = `UPDATE bench_ticket SET uses_consumed = uses_consumed + 1, last_consumed_at = 1700000000000
  WHERE id = 'tkt_abcdef_' || lpad(:id::text, 20, '0') AND uses_consumed < uses_allowed`;
const REQUESTED = `UPDATE bench_usage SET requests = requests + 1 WHERE key_id = 'key_0123456789' AND shard = :shard`;
const TOKEN = `UPDATE bench_bucket SET tokens = tokens - 1 WHERE key_id = 'key_0123456789'`;

/**
 * A server that waits for the disk at each commit, as in production, of the system's packages where it has them; room for its
 * log, so that both sides pay the same for it.
 */
export async function withCluster(
  work: (cluster: PostgresCluster) => Promise<void>,
): Promise<void> {
  process.env['TICKETSCAN_SYSTEM_POSTGRES'] ??= 'yes';
  await using cluster = await PostgresCluster.start({
    shared_buffers: '1GB',
    max_wal_size: '16GB',
    checkpoint_timeout: '30min',
  });
  await work(cluster);
}

/** An empty database of its own on the server. @returns its URL */
export async function newDatabase(cluster: PostgresCluster, name: string): Promise<string> {
  const client = new pg.Client(cluster.url());
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  return cluster.url(name);
}

/** What the server does in its own time after many rows came, done now, so that it is not in the way of what is measured. */
export async function settle(url: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query('VACUUM (ANALYZE) ticket');
  await client.query('CHECKPOINT');
  await client.end();
}

/** The store with the queue in front of it, without HTTP. */
export async function storeAlone(cluster: PostgresCluster, tickets: number) {
  const store = await openStore(cluster.url());
  const clock = { now: () => Date.now(), monotonicMs: () => performance.now() };
  const administration = new Administration(store, clock, randomBytes);
  await administration.createOrganisation('Bench', UNLIMITED);
  const event = await administration.createEvent('Bench');
  const { key } = await administration.createKey({ name: 'bench', type: 'api', events: 'all' });
  const ids: string[] = [];
  for (let from = 0; from < tickets; from += CHUNK) {
    const options = { eventId: event.id, kind: 'permanent' } as const;
    const made = Array.from({ length: Math.min(CHUNK, tickets - from) }, () =>
      newTicket(options, Date.now(), randomBytes),
    );
    await store.insertTickets(made, AN_AUDIT_ENTRY);
    for (const { id } of made) ids.push(id);
  }
  const queue = new CommitQueue(store, () => {});
  const request = (ticketId: string): ScanRequest => ({
    kind: 'scan',
    keyId: key.id,
    operation: 'consume',
    subject: { kind: 'ticket', ticketId, eventId: event.id },
    now: Date.now(),
    serial: null,
    reader: null,
    retry: null,
    rate: DEFAULT_LIMITS,
  });
  let next = 0;
  /** Scans a second. */
  const run = async (callers: number, seconds: number) => {
    let scans = 0;
    const endAt = performance.now() + seconds * 1000;
    const caller = async () => {
      while (performance.now() < endAt) {
        next = (next + 7919) % ids.length;
        await queue.commit(request(ids[next]!));
        scans += 1;
      }
    };
    await Promise.all(Array.from({ length: callers }, caller));
    return scans / seconds;
  };
  return {
    run,
    ids,
    close: () => store.close(),
  };
}

/**
 * What a use costs when every request is a transaction of its own, in one statement: from the counter of the ticket alone to
 * all that a scan writes. The key's requests are spread over as many rows as ours; its rate is one row, held to the commit.
 */
const STATEMENTS = {
  count: `${AT_RANDOM}${USE};\n`,
  'count and log': scanOf(),
  'count, log and quota': scanOf(REQUESTED),
  'count, log, quota and rate': scanOf(REQUESTED, TOKEN),
};

export type PgbenchForm = keyof typeof STATEMENTS;
export const PGBENCH_FORMS = Object.keys(STATEMENTS) as PgbenchForm[];

const TABLES = `
CREATE TABLE bench_ticket (LIKE ticket INCLUDING ALL);
INSERT INTO bench_ticket (id, type, uses_allowed, created_at, uses_consumed, uses_outside_log)
  SELECT 'tkt_abcdef_' || lpad(n::text, 20, '0'), 'multi', 100000, 0, 0, 0 FROM generate_series(1, $1) AS n;
CREATE TABLE bench_usage (LIKE api_key_usage INCLUDING ALL);
INSERT INTO bench_usage SELECT 'key_0123456789', 202611, n, 0 FROM generate_series(0, ${COUNT_SHARDS - 1}) AS n;
CREATE TABLE bench_bucket (LIKE rate_bucket INCLUDING ALL);
INSERT INTO bench_bucket VALUES ('key_0123456789', 1000000000, 0);
CREATE TABLE bench_log (LIKE scan_log INCLUDING DEFAULTS, PRIMARY KEY (sequence));
ALTER TABLE bench_log ALTER month SET DEFAULT 202611;
ANALYZE bench_ticket;`;

function scanOf(...more: readonly string[]): string {
  const parts = [
    `used AS (${USE} RETURNING id, uses_consumed)`,
    ...more.map((part, at) => `more_${at} AS (${part})`),
  ];
  return `${AT_RANDOM}WITH ${parts.join(', ')}
INSERT INTO bench_log (at, key_id, action, status, ticket_id, uses_consumed, replayed)
SELECT 1700000000000, 'key_0123456789', 'consume', 'consumed', id, uses_consumed, false FROM used;
`;
}

/** @returns a run: transactions a second of so many clients, each statement prepared once */
export async function measurePgbench(cluster: PostgresCluster, tickets: number) {
  const program = [
    '/usr/bin/pgbench',
    ...[17, 16, 15].map((v) => `/usr/lib/postgresql/${v}/bin/pgbench`),
  ].find(existsSync);
  if (program === undefined)
    throw new Error('pgbench is missing. On Debian: apt-get install postgresql-contrib');
  const client = new pg.Client(cluster.url());
  await client.connect();
  await client.query(TABLES.replace('$1', String(tickets)));
  await client.end();
  const folder = mkdtempSync(join(tmpdir(), 'ticketscan-bench-'));
  for (const form of PGBENCH_FORMS) writeFileSync(join(folder, `${form}.sql`), STATEMENTS[form]);
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return async (form: PgbenchForm, clients: number, seconds: number): Promise<number> => {
    const options = [
      '-n',
      '-M',
      'prepared',
      '-c',
      clients,
      '-j',
      1,
      '-T',
      seconds,
      '-f',
      join(folder, `${form}.sql`),
      '-D',
      `tickets=${tickets}`,
    ];
    const { stdout } = await promisify(execFile)(program, [...options.map(String), cluster.url()]);
    return Number(/tps = ([\d.]+)/.exec(stdout)?.[1]);
  };
}
