import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/core/limits.ts';
import { openStore } from '../../../src/stores/open-store.ts';
import { copyStore } from '../../../src/stores/transfer/copy-store.ts';
import { AN_AUDIT_ENTRY } from '../../support/an-audit-entry.ts';
import { isOnPath, reasonToSkip } from '../../support/needed-programs.ts';
import { PostgresCluster } from '../../support/postgres/cluster.ts';
import { PgBouncer, type PgBouncerOptions } from '../../support/postgres/pgbouncer.ts';
import { statusOfOutcome, TestStore } from '../../support/stores.ts';

const skipped = reasonToSkip({ pgbouncer: isOnPath('pgbouncer') });

let cluster: PostgresCluster;
beforeAll(async () => {
  cluster = await PostgresCluster.start({ fsync: 'off' });
});
afterAll(() => cluster[Symbol.asyncDispose]());

async function onServer<Row>(database: string, statement: string): Promise<Row[]> {
  const client = new pg.Client(cluster.url(database));
  await client.connect();
  try {
    return (await client.query(statement)).rows as Row[];
  } finally {
    await client.end();
  }
}

/** A store in an empty database of its own, behind a pooler. */
async function pooledStore(options: PgBouncerOptions, query = '') {
  const database = `store_${randomBytes(6).toString('hex')}`;
  await onServer('postgres', `CREATE DATABASE ${database}`);
  const pooler = await PgBouncer.start(cluster, options);
  const gate = await TestStore.openAt({ url: `${pooler.url(database)}${query}` });
  return {
    gate,
    pooler,
    database,
    async [Symbol.asyncDispose]() {
      await gate[Symbol.asyncDispose]();
      await pooler[Symbol.asyncDispose]();
    },
  };
}

/** Batches of one scan, at several instances, on one card: each must be one use. */
async function scanEverywhere(gate: TestStore, instances: number, batches: number) {
  const others = Array.from({ length: instances - 1 }, () => gate.another());
  const stores = [gate.store, ...(await Promise.all(others))];
  const { id } = await gate.mint({ kind: 'permanent' });
  // Tokens are taken too: on connections of their own.
  const request = gate.request(id, { rate: { ...DEFAULT_LIMITS, burst: 1e6 } });
  const scanned = Array.from({ length: batches }, async (_, index) => {
    const store = stores[index % instances] as (typeof stores)[number];
    return statusOfOutcome((await store.commitScans([request])).outcomes[0]);
  });
  const settled = await Promise.allSettled(scanned);
  const used = (await gate.store.findTicket(id))?.usesConsumed;
  return { settled, used };
}

describe.skipIf(skipped)('a pooler in front', () => {
  test.each([
    // A session keeps its connection: each of two instances needs its ten.
    { mode: 'session', size: 20 },
    { mode: 'transaction', size: 10 },
    // Fewer than one instance uses.
    { mode: 'transaction', size: 2 },
  ] as const)('$mode pooling with $size connections: two instances scan', async (options) => {
    await using made = await pooledStore(options);
    const { gate } = made;
    const { settled, used } = await scanEverywhere(gate, 2, 60);
    const statuses = settled.map((one) =>
      one.status === 'fulfilled' ? one.value : String(one.reason),
    );
    expect(statuses).toEqual(Array(60).fill('consumed'));
    expect(used).toBe(60);
    expect(await gate.problems()).toEqual([]);
    expect((await gate.store.info()).details).toHaveProperty('pooler');
  });

  test('what is read, changed, searched and copied works through it too', async () => {
    await using made = await pooledStore({ mode: 'transaction', size: 3 });
    const { gate } = made;
    const tickets = await Promise.all(Array.from({ length: 30 }, () => gate.mint()));
    expect(await gate.consume(tickets[0]?.id ?? '')).toBe('consumed');
    await gate.store.cancelTickets([tickets[1]?.id ?? ''], gate.clock.now(), AN_AUDIT_ENTRY);
    expect(await gate.consume(tickets[1]?.id ?? '')).toBe('ticket_cancelled');
    await gate.store.checkWritable();
    expect(await gate.store.readLog({ limit: 10 })).toHaveLength(2);
    const target = await openStore('memory:');
    await copyStore(gate.store, target, { source: 'pooled' });
    expect(await target.countTickets()).toBe(30);
    await target.close();
  });

  test('no setting is left on the connections of the pooler, where others would get it', async () => {
    await using made = await pooledStore({ mode: 'transaction', size: 4 });
    const { gate, pooler, database } = made;
    await scanEverywhere(gate, 1, 20);
    const wanted = ['synchronous_commit', 'statement_timeout', 'lock_timeout', 'plan_cache_mode'];
    const shown = wanted.map((name) => `current_setting('${name}') AS ${name}`).join(', ');
    const [usual] = await onServer(database, `SELECT ${shown}`);
    // All four at once, each in a transaction that is held.
    const clients = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const client = new pg.Client(pooler.url(database));
        await client.connect();
        await client.query('BEGIN');
        return client;
      }),
    );
    for (const client of clients) {
      expect((await client.query(`SELECT ${shown}`)).rows).toEqual([usual]);
      expect((await client.query('SELECT name FROM pg_prepared_statements')).rows).toEqual([]);
    }
    await Promise.all(clients.map((client) => client.end()));
  });

  test('the schema of the URL holds in each transaction', async () => {
    const database = `store_${randomBytes(6).toString('hex')}`;
    await onServer('postgres', `CREATE DATABASE ${database}`);
    await onServer(database, 'CREATE SCHEMA gates');
    await using pooler = await PgBouncer.start(cluster, { mode: 'transaction', size: 3 });
    const url = `${pooler.url(database)}?options=-c%20search_path%3Dgates`;
    {
      await using gate = await TestStore.openAt({ url });
      const { used } = await scanEverywhere(gate, 2, 20);
      expect(used).toBe(20);
    }
    const where = await onServer<{ schema: string }>(
      database,
      "SELECT DISTINCT schemaname AS schema FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')",
    );
    expect(where).toEqual([{ schema: 'gates' }]);
  });

  test('a scan that finds no connection in its time is given up, and took no use', async () => {
    await using made = await pooledStore({ mode: 'transaction', size: 2 });
    const { gate, pooler, database } = made;
    const { id } = await gate.mint();
    const holders = [new pg.Client(pooler.url(database)), new pg.Client(pooler.url(database))];
    for (const holder of holders) {
      await holder.connect();
      await holder.query('BEGIN');
      await holder.query('SELECT 1');
    }
    const scanned = gate.store.commitScans([gate.request(id)]);
    await expect(scanned).rejects.toMatchObject({
      code: 'store_busy',
      message: expect.stringContaining('Nothing was changed'),
    });
    for (const holder of holders) await holder.end();
    expect((await gate.store.findTicket(id))?.usesConsumed).toBe(0);
    expect(await gate.consume(id)).toBe('consumed');
    expect(await gate.problems()).toEqual([]);
  });

  test('one that changes servers between statements is refused, with what to do', async () => {
    await using pooler = await PgBouncer.start(cluster, { mode: 'statement', size: 4 });
    await expect(openStore(pooler.url('postgres'))).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringContaining('Set pool_mode to transaction or session'),
    });
  });
});
