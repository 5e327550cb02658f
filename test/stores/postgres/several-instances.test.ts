import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/core/limits.ts';
import type { ScanOutcome, ScanRequest } from '../../../src/core/scan-requests.ts';
import { openStore } from '../../../src/stores/open-store.ts';
import { PostgresConnection } from '../../../src/stores/postgres/postgres-connection.ts';
import { continueDeletion } from '../../../src/stores/sql/deletion.ts';
import { AN_AUDIT_ENTRY } from '../../support/an-audit-entry.ts';
import { PATIENTLY } from '../../support/patience.ts';
import { execute, postgresSchema } from '../../support/postgres/schema.ts';
import { editOrganisation } from '../../support/records.ts';
import { statusOfOutcome, TestStore } from '../../support/stores.ts';

/** When nobody gives these scans up: some wait for others on a busy machine. */
const NEVER_MS = 1e9;

test('ten instances that start together on an empty database make its tables once', async () => {
  const { url, remove } = await postgresSchema();
  try {
    const stores = await Promise.all(Array.from({ length: 10 }, () => openStore(url)));
    await Promise.all(stores.map((store) => store.checkWritable()));
    expect(await Promise.all(stores.map((store) => store.countTickets()))).toEqual(
      Array(10).fill(0),
    );
    await Promise.all(stores.map((store) => store.close()));
  } finally {
    await remove();
  }
});

test('a database of a newer program is refused, and nothing is changed', async () => {
  await using gate = await TestStore.open('postgres');
  await execute('UPDATE ticketscan_schema SET version = 999', gate.url);
  await expect(openStore(gate.url)).rejects.toMatchObject({ code: 'store_newer' });
  // An instance that was already running is not ready any more.
  await expect(gate.store.checkWritable()).rejects.toMatchObject({ code: 'store_newer' });
  const { rows } = await execute('SELECT version FROM ticketscan_schema', gate.url);
  expect(rows).toEqual([{ version: 999 }]);
});

test('three instances let through together what one bucket holds', async () => {
  await using gate = await TestStore.open('postgres');
  const { id: organisation } = await gate.administration.organisations.find(undefined);
  // So slow that nothing is regained while the test runs.
  const limits = { ...DEFAULT_LIMITS, ratePerSecond: 0.001, burst: 70 };
  await editOrganisation(gate.store, organisation, { limits: limits }, [AN_AUDIT_ENTRY]);
  const stores = [gate.store, await gate.another(), await gate.another()];
  const { id } = await gate.mint({ kind: 'permanent' });
  const request = gate.request(id, { rate: DEFAULT_LIMITS });

  const batches = Array.from({ length: 30 }, (_, index) =>
    stores[index % 3]?.commitScans(Array<ScanRequest>(5).fill(request)),
  );
  const outcomes = (await Promise.all(batches)).flatMap((result) => result?.outcomes ?? []);

  const statuses = Object.groupBy(outcomes, statusOfOutcome);
  expect(statuses['consumed']).toHaveLength(70);
  expect(statuses['limited']).toHaveLength(80);
  const refused = statuses['limited']?.[0];
  expect(refused?.kind === 'limited' && refused.retryAfterSeconds).toBeGreaterThan(900);
});

test('tokens come back with time, and never above the burst', async () => {
  await using gate = await TestStore.open('postgres');
  const { id } = await gate.mint({ kind: 'permanent' });
  const take = async (requests: number) => {
    const request = gate.request(id, { rate: DEFAULT_LIMITS });
    const outcomes = await gate.scan(...Array<ScanRequest>(requests).fill(request));
    return outcomes.filter(({ kind }) => kind === 'decided').length;
  };
  expect(await take(DEFAULT_LIMITS.burst + 50)).toBe(DEFAULT_LIMITS.burst);
  await execute('UPDATE rate_bucket SET tokens = 0, filled_at = filled_at - 1', gate.url);
  expect(await take(200)).toBeGreaterThanOrEqual(DEFAULT_LIMITS.ratePerSecond);
  await execute('UPDATE rate_bucket SET filled_at = filled_at - 3600', gate.url);
  expect(await take(500)).toBe(DEFAULT_LIMITS.burst);
  // A clock that was set back gives nothing, and takes nothing away.
  await execute('UPDATE rate_bucket SET tokens = 7, filled_at = filled_at + 3600', gate.url);
  expect(await take(10)).toBe(7);
});

test('the quota is exact over several instances, far from it and near', async () => {
  await using gate = await TestStore.open('postgres');
  const { id: organisation } = await gate.administration.organisations.find(undefined);
  const quotaPerMonth = 9000;
  await editOrganisation(
    gate.store,
    organisation,
    { limits: { ...DEFAULT_LIMITS, quotaPerMonth } },
    [AN_AUDIT_ENTRY],
  );
  const stores = [gate.store, await gate.another()];
  const request = gate.request('', { subject: { kind: 'unreadable' } });

  const outcomes: ScanOutcome[] = [];
  for (let round = 0; round < 2; round += 1) {
    const batches = Array.from({ length: 20 }, (_, index) =>
      stores[index % 2]?.commitScans(Array<ScanRequest>(250).fill(request), NEVER_MS),
    );
    outcomes.push(...(await Promise.all(batches)).flatMap((result) => result?.outcomes ?? []));
  }

  const decided = outcomes.filter(({ kind }) => kind === 'decided').length;
  expect([decided, outcomes.length]).toEqual([quotaPerMonth, 10_000]);
  expect(await gate.store.requestsInMonth(gate.keyId, 202607)).toBe(quotaPerMonth);
});

test('the log is read on without a gap although batches commit in another order than they are numbered', async () => {
  await using gate = await TestStore.open('postgres');
  const { id } = await gate.mint({ kind: 'permanent' });
  await gate.scan(gate.request(id));
  const insert = `INSERT INTO scan_log (month, at, key_id, operation, status, replayed)
    VALUES (202607, 0, '${gate.keyId}', 'validate', 'validated', false)`;
  const late = execute(`BEGIN; ${insert}; SELECT pg_sleep(0.7); COMMIT`, gate.url);
  const numbered = 'SELECT last_value AS last FROM scan_log_sequence';
  while (Number((await execute(numbered, gate.url)).rows[0]?.last) < 2) {}
  await gate.scan(gate.request(id));

  const newest = await gate.store.readLog({ limit: 10 });
  const after = await gate.store.readLog({ afterSequence: 1, limit: 10 });

  expect(newest.map(({ sequence }) => sequence)).toEqual([1, 3]);
  expect(after.map(({ sequence }) => sequence)).toEqual([2, 3]);
  await late;
});

test('a number is waited for as long as somebody who may have taken it is still writing', async () => {
  await using gate = await TestStore.open('postgres');
  const { id } = await gate.mint({ kind: 'permanent' });
  await gate.scan(gate.request(id));
  const insert = `INSERT INTO scan_log (month, at, key_id, operation, status, replayed)
    VALUES (202607, 0, '${gate.keyId}', 'validate', 'validated', false)`;
  const late = new pg.Client(gate.url);
  await late.connect();
  // As a commit does that waits for its standby.
  await late.query(`BEGIN; ${insert}`);
  await gate.scan(gate.request(id));
  await new Promise((resolve) => setTimeout(resolve, 400));
  await execute(`UPDATE scan_log SET logged_at = ${Date.now() - 15_200}`, gate.url);
  let read: number[] | undefined;
  const reading = gate.store.searchLog({ afterSequence: 1, limit: 10, searchMax: 10 });
  void reading.then(({ entries }) => {
    read = entries.map(({ sequence }) => sequence);
  });
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(read).toBeUndefined();
  await late.query('COMMIT');
  await late.end();
  await reading;
  expect(read).toEqual([2, 3]);
});

test('a number that a batch took is still waited for when the first deletion has written down the last one', async () => {
  await using gate = await TestStore.open('postgres');
  const { id } = await gate.mint({ kind: 'permanent' });
  const { id: going } = await gate.administration.events.create('Over');
  const ended = { ...AN_AUDIT_ENTRY, act: 'event.deleted' } as const;
  const what = { what: 'event', id: going, name: 'Over', timeZone: 'UTC', accounts: [] } as const;
  await gate.store.beginDeletion({ ...what, ended }, AN_AUDIT_ENTRY);
  await gate.scan(gate.request(id));
  const [late, client] = [new pg.Client(gate.url), new pg.Client(gate.url)];
  await Promise.all([late.connect(), client.connect()]);
  // A batch that began after the store had waited for those before the step.
  await late.query(`BEGIN; INSERT INTO scan_log (month, at, key_id, operation, status, replayed)
    VALUES (202607, 0, '${gate.keyId}', 'validate', 'validated', false)`);
  await gate.scan(gate.request(id));
  await continueDeletion(new PostgresConnection(client), going, 0);
  const reading = gate.store.readLog({ afterSequence: 1, limit: 10 });
  await new Promise((resolve) => setTimeout(resolve, 200));
  await late.query('COMMIT');

  expect((await reading).map(({ sequence }) => sequence)).toEqual([2, 3]);
  await Promise.all([late.end(), client.end()]);
});

test('a ticket is kept when a validate that has read it is still under way', async () => {
  await using gate = await TestStore.open('postgres');
  const { id } = await gate.mint();
  const other = await gate.mint();
  await gate.scan(gate.request(other.id));
  const holding = new pg.Client(gate.url);
  await holding.connect();
  // The batch reads its tickets, and waits before it writes.
  await holding.query('BEGIN; LOCK TABLE scan_log IN SHARE MODE');
  const validating = gate.scan(gate.request(id, { operation: 'validate' }));
  await expect.poll(() => locksWaitedFor(holding, 'scan_log'), PATIENTLY).toBe(1);
  const deleting = (await gate.another()).deleteTickets([id], 0, AN_AUDIT_ENTRY);
  await sleep(300);
  await holding.query('COMMIT');
  await holding.end();

  expect((await validating).map(statusOfOutcome)).toEqual(['validated']);
  expect(await deleting).toEqual([]);
  expect(await gate.problems()).toEqual([]);
});

test('gates go on while the deletion of a ticket waits for a vacuum, and the deletion gives up', async () => {
  await using gate = await TestStore.open('postgres');
  const { id } = await gate.mint();
  const other = await gate.mint();
  const client = new pg.Client(gate.url);
  await client.connect();
  try {
    // The lock of a vacuum that is not given up for others.
    await client.query('BEGIN; LOCK TABLE ticket IN SHARE UPDATE EXCLUSIVE MODE');
    const deleting = (await gate.another()).deleteTickets([id], 0, AN_AUDIT_ENTRY);
    const givenUp = expect(deleting).rejects.toThrow(/Nothing was changed; try again/);
    await expect.poll(() => locksWaitedFor(client, 'ticket'), PATIENTLY).toBe(1);

    const outcomes = await gate.scan(gate.request(other.id));
    expect(outcomes.map(statusOfOutcome)).toEqual(['consumed']);
    await givenUp;
  } finally {
    await client.end();
  }
  expect(await gate.store.countTickets()).toBe(2);
});

async function locksWaitedFor(client: pg.Client, table: string): Promise<number> {
  const waiting = `SELECT count(*)::integer AS locks FROM pg_locks WHERE NOT granted AND relation = '${table}'::regclass`;
  return (await client.query(waiting)).rows[0]?.locks;
}
