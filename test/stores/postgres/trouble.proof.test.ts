import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { monthOf } from '../../../src/core/clock.ts';
import { DEFAULT_LIMITS } from '../../../src/core/limits.ts';
import { openStore } from '../../../src/stores/open-store.ts';
import { AN_AUDIT_ENTRY } from '../../support/an-audit-entry.ts';
import { PATIENTLY } from '../../support/patience.ts';
import { PostgresCluster } from '../../support/postgres/cluster.ts';
import { execute, postgresUrl } from '../../support/postgres/schema.ts';
import { editOrganisation } from '../../support/records.ts';
import { everyDevice, statusOfOutcome, TestStore } from '../../support/stores.ts';

/** A server of its own, for what a setting of the whole server does. */
let cluster: PostgresCluster;
beforeAll(async () => {
  cluster = await PostgresCluster.start({ fsync: 'off' });
});
afterAll(() => cluster[Symbol.asyncDispose]());
// A test that fails while commits wait must not hold up those after it.
afterEach(() => setStandby(''));

test('a batch that is the victim of a deadlock is decided again, on the tokens that it took', async () => {
  await using gate = await TestStore.open('postgres');
  const { id: organisation } = await gate.administration.organisations.find(undefined);
  const limits = { ...DEFAULT_LIMITS, ratePerSecond: 0.001, burst: 2 };
  await editOrganisation(gate.store, organisation, { limits: limits }, [AN_AUDIT_ENTRY]);
  const tickets = [await gate.mint(), await gate.mint()].map(({ id }) => id).sort();
  const [first = '', second = ''] = tickets;
  const other = new pg.Client(gate.url);
  await other.connect();
  await other.query("SET deadlock_timeout = '20s'");
  await other.query('BEGIN');
  await other.query('SELECT 1 FROM ticket WHERE id = $1 FOR UPDATE', [second]);
  const scanned = gate.scan(
    gate.request(second, { rate: DEFAULT_LIMITS }),
    gate.request(first, { rate: DEFAULT_LIMITS }),
  );
  const waiting =
    "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%FROM ticket%FOR UPDATE%'";
  while ((await execute(waiting)).rows.length === 0) await sleep(10);
  await other.query('SELECT 1 FROM ticket WHERE id = $1 FOR UPDATE', [first]);
  await other.query('COMMIT');
  await other.end();

  expect((await scanned).map(statusOfOutcome)).toEqual(['consumed', 'consumed']);
  expect((await gate.store.readLog({ limit: 10 })).length).toBe(2);
});

test('a use that the database does not write is not granted, and leaves nothing', async () => {
  await using gate = await TestStore.open('postgres');
  const { id } = await gate.mint();
  await execute(
    `CREATE FUNCTION skip() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
    CREATE TRIGGER skip BEFORE UPDATE ON ticket FOR EACH ROW EXECUTE FUNCTION skip()`,
    gate.url,
  );
  await expect(gate.scan(gate.request(id))).rejects.toThrow('a ticket was used that is not there');
  expect(await gate.store.readLog({ limit: 10 })).toEqual([]);
  expect(await gate.store.requestsInMonth(gate.keyId, monthOf(gate.clock.now()))).toBe(0);

  await execute('DROP TRIGGER skip ON ticket', gate.url);
  expect(await gate.consume(id)).toBe('consumed');
});

test('a change that waits too long for another one says that nothing is wrong with the address', async () => {
  await using gate = await TestStore.open('postgres');
  const other = new pg.Client(gate.url);
  await other.connect();
  await other.query('BEGIN; UPDATE state SET revision = revision');
  const refused = await gate.administration.events.create('Late').catch((error: unknown) => error);
  await other.end();

  expect(refused).toMatchObject({
    code: 'store_busy',
    message: expect.stringMatching(/lock timeout.*Nothing was changed/),
  });
});

test('connections that are cut do not fail a scan', async () => {
  await using gate = await TestStore.open('postgres');
  const { id } = await gate.mint({ kind: 'permanent' });
  const own =
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND application_name = ';
  const url = `${gate.url}&application_name=cut`;
  const store = await openStore(url);
  for (let cut = 0; cut < 5; cut += 1) {
    await store.commitScans([gate.request(id)]);
    await execute(`${own} 'cut'`);
    const scans = Array.from({ length: 4 }, () => store.commitScans([gate.request(id)]));
    await Promise.all(scans);
  }
  await store.close();
  expect(await gate.store.findTicket(id)).toMatchObject({ usesConsumed: 25 });
  expect(await gate.problems()).toEqual([]);
});

test('a commit that did not wait for its standby is unknown, named, and can be looked up', async () => {
  await using gate = await onDatabase('cancelled');
  const { id } = await gate.mint();
  await gate.scan(gate.request(id, { operation: 'validate' }));
  await waitForNobody();
  const scanned = gate.scan(gate.request(id)).catch((error: Error) => error);
  await vi.waitFor(async () => expect(await endWaiting('cancel')).toBe(1), PATIENTLY);
  const failure = await scanned;

  expect(failure).toMatchObject({ code: 'store_unavailable' });
  const [, operation] = /operation ([0-9a-f-]{36})/.exec(String(failure)) ?? [];
  await setStandby('');
  const found = await execute('SELECT operation FROM scan_operation', gate.url);
  expect(found.rows).toContainEqual({ operation });
  // It was committed after all, which nobody could promise.
  expect(await gate.store.findTicket(id)).toMatchObject({ usesConsumed: 1 });
});

test('a commit whose answer is lost is looked up, and its true outcome told', async () => {
  await using gate = await onDatabase('terminated');
  const { id } = await gate.mint();
  await gate.scan(gate.request(id, { operation: 'validate' }));
  await waitForNobody();
  const scanned = gate.scan(gate.request(id));
  await vi.waitFor(async () => expect(await endWaiting('terminate')).toBe(1), PATIENTLY);
  await setStandby('');

  expect((await scanned).map(statusOfOutcome)).toEqual(['consumed']);
  expect(await gate.store.findTicket(id)).toMatchObject({ usesConsumed: 1 });
  expect((await gate.store.readLog({ limit: 10 })).length).toBe(2);
});

test('of several servers the one that takes writes is found; one that only reads is passed over', async () => {
  await using gate = await TestStore.open('postgres');
  const { id } = await gate.mint({ kind: 'permanent' });
  const [nobody = 0] = await PostgresCluster.freePorts(1);
  await execute('ALTER DATABASE postgres SET default_transaction_read_only = on', cluster.url());
  const { host } = new URL(gate.url);
  const url = gate.url.replace(host, `127.0.0.1:${nobody},127.0.0.1:${cluster.port},${host}`);
  const store = await openStore(url);
  await store.commitScans([gate.request(id)]);
  expect(await store.findTicket(id)).toMatchObject({ usesConsumed: 1 });
  await store.close();
  await expect(openStore(cluster.url())).rejects.toThrow(/is read-only/);
});

test('while none of several servers accepts writes, that is said once, and once when it is over', async () => {
  await using gate = await onDatabase('between_primaries');
  const [nobody = 0] = await PostgresCluster.freePorts(1);
  const url = gate.url.replace('@127.0.0.1', `@127.0.0.1:${nobody},127.0.0.1`);
  const store = await openStore(url);
  const told: string[] = [];
  store.tellOperator?.((level, text) => told.push(`${level} ${text}`));
  const setReadOnly = async (value: 'on' | 'off') => {
    const others = cluster.url('template1');
    await execute(
      `ALTER DATABASE between_primaries SET default_transaction_read_only = ${value}`,
      others,
    );
    const end =
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'between_primaries'";
    await execute(end, others);
  };
  await setReadOnly('on');
  for (let tries = 0; tries < 3; tries += 1) {
    // A connection that was ended may be asked before it is known.
    await vi.waitFor(
      () =>
        expect(store.checkWritable()).rejects.toThrow(
          /^The Postgres servers .* accept no writes yet/,
        ),
      PATIENTLY,
    );
  }
  await setReadOnly('off');
  await vi.waitFor(() => store.checkWritable(), PATIENTLY);
  await store.close();
  expect(told).toEqual([
    expect.stringMatching(/^warn No server accepts writes yet .* waiting for the promotion/),
    expect.stringMatching(/^info 127\.0\.0\.1:\d+ accepts writes again, after \d+ s\.$/),
  ]);
});

test.each([
  ['no server there', { port: '1' }],
  ['no such database', { pathname: '/nowhere' }],
  ['a host that cannot be', { hostname: 'host.invalid' }],
  ['an option that the server refuses', { search: '?options=-c%20nonsense%3D1' }],
])('%s: what is wrong is said without the password', async (_, spoilt) => {
  const url = new URL(await postgresUrl());
  url.password = 'swordfish';
  Object.assign(url, spoilt);
  const error = await openStore(url.href).catch((thrown: Error) => thrown);
  expect(error).toBeInstanceOf(Error);
  expect(error).toMatchObject({ code: 'store_unavailable' });
  expect(JSON.stringify(error) + String(error) + (error as Error).stack).not.toContain('swordfish');
});

test.each([
  'postgres://',
  'postgres://user:sword fish@:x/db',
  'postgres://user:swordfish@host:port:5/db',
  'postgres:swordfish',
  'postgres://user:sea@swordfish/pass@host/db',
  'postgres://swordfish:12/pass@host/db',
])('%s is refused as an address, without repeating it', async (url) => {
  const error = await openStore(url).catch((thrown: Error) => thrown);
  expect(error).toMatchObject({ code: 'usage' });
  expect(String(error)).not.toMatch(/sword ?fish/);
});

test('a text with NUL and a device that sends it stop nobody', async () => {
  await using gate = await TestStore.open('postgres');
  const { id } = await gate.mint();
  const contact = { model: 'm\0', serial: '\0', address: '\u{f8f0}0', firmware: '' };
  await gate.scan(gate.heartbeat(contact), gate.request(id, { serial: '"{,}\\\0', reader: '' }));
  const scanning = { model: '', serial: '"{,}\\\0', lastContactAt: null };
  const devices = await everyDevice(gate.store);
  expect(devices).toHaveLength(2);
  expect(devices).toEqual(
    expect.arrayContaining([contact, scanning].map((one) => expect.objectContaining(one))),
  );
  expect(await gate.store.readLog({ limit: 1 })).toMatchObject([
    { serial: '"{,}\\\0', reader: '' },
  ]);
});

async function onDatabase(name: string): Promise<TestStore> {
  await execute(`CREATE DATABASE ${name}`, cluster.url('template1'));
  return TestStore.openAt({ url: cluster.url(name) });
}

/** Commits of the cluster wait from now on, for a standby that is not there. */
async function waitForNobody(): Promise<void> {
  await setStandby('nobody');
  // Another process of the server than the one that shows the setting puts it into force.
  await vi.waitFor(async () => {
    const probe = execute('CREATE TABLE IF NOT EXISTS probe (); DROP TABLE probe', cluster.url());
    const committed = probe.then(() => true);
    const held = async () => (await endWaiting('cancel')) === 1;
    while (!(await held()))
      if (await Promise.race([committed, sleep(10, false)])) throw new Error('nobody waits yet');
    await probe;
  }, PATIENTLY);
}

/** Ends the wait of each commit that waits. @returns how many */
async function endWaiting(how: 'cancel' | 'terminate'): Promise<number> {
  const waiting = `SELECT pg_${how}_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`;
  return (await execute(waiting, cluster.url())).rows.length;
}

async function setStandby(name: string): Promise<void> {
  await execute(`ALTER SYSTEM SET synchronous_standby_names = '${name}'`, cluster.url());
  await cluster.reload();
  await vi.waitFor(async () => {
    const { rows } = await execute('SHOW synchronous_standby_names', cluster.url());
    expect(rows).toEqual([{ synchronous_standby_names: name }]);
  }, PATIENTLY);
}
