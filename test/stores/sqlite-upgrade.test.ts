import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { backupDatabase } from '../../src/service/stores/sqlite/backup.ts';
import { MIGRATIONS } from '../../src/service/stores/sqlite/migrations.ts';
import { openSqliteStore } from '../../src/service/stores/sqlite/sqlite-store.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';

const APPLICATION_ID = 0x7473636e;
const FIRST = 'tkt_ab12cd_00000000000000000001';
const SECOND = 'tkt_ab12cd_00000000000000000002';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ticketscan-upgrade-'));
  path = join(folder, 'store.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** As the fourth format kept it: numbers where this one keeps identifiers. */
const RECORDS = `
  INSERT INTO organisation VALUES (7, 'org_a', 'Arena', 50.0, 100, 1000, 3, 1), (8, 'org_b', 'Bath', 5.5, 10, 20, 1, 2);
  INSERT INTO event VALUES (3, 'ab12cd', 7, 'Pool', 5), (4, 'ef34gh', 8, 'Sauna', 6), (5, 'ij56kl', 7, 'Gym', 7);
  INSERT INTO api_key VALUES
    (21, 'key_some', 7, 'hash1', 'Some', 'hardware', 0, 1, 'both', 3, 10, NULL),
    (22, 'key_gone', 8, 'hash2', 'Gone', 'api', 1, 0, 'both', 3, 11, 12);
  INSERT INTO api_key_event VALUES (21, 5), (21, 3);
  INSERT INTO api_key_usage VALUES (21, 202611, 40);
  INSERT INTO ticket VALUES
    (31, '${FIRST}', 'single', 1, NULL, NULL, NULL, NULL, NULL, 100),
    (32, '${SECOND}', 'multi', 5, 'Ay''şe', 'LOVELÁCE', 1, 9999, NULL, 101);
  INSERT INTO ticket_use VALUES (31, 0, NULL), (32, 2, 300);
  INSERT INTO ticket_import VALUES (32, 2);
  INSERT INTO scan_log VALUES (1, 400, 21, 'S-1', '0', 'consume', 'consumed', NULL, 31, NULL, NULL, 1, 0);
  INSERT INTO device VALUES (21, 'S-1', 'access-controller', '127.0.0.1', '1.0', 400, NULL);
  INSERT INTO stored_answer VALUES (21, 'client a', 'hash', '{"status":"not_found"}', 99);
`;

/** A database of an earlier format, which stays open: as by a server of that version. */
function earlierStore(version: number, records: string): DatabaseSync {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON');
  for (const migration of MIGRATIONS.slice(0, version)) database.exec(migration);
  database.exec(records);
  database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${version}`);
  return database;
}

test('a store of an earlier format keeps all that it held', async () => {
  earlierStore(4, RECORDS).close();

  const store = await openSqliteStore(path);
  const before = await store.listKeys();
  const read = {
    info: (await store.info()).format,
    organisations: await store.listOrganisations(),
    events: (await store.listEvents()).map(({ id, organisationId }) => [id, organisationId]),
    uses: [await store.findTicket(FIRST), await store.findTicket(SECOND)].map(
      (ticket) => ticket?.usesConsumed,
    ),
    log: (await store.readLog({ limit: 9 })).map(({ keyId, ticketId }) => [keyId, ticketId]),
    devices: (await store.listDevices('org_a')).map(({ keyId, serial }) => [keyId, serial]),
    requests: await store.requestsInMonth('key_some', 202611),
    audit: await store.verify(),
    found: (await store.listTickets({ search: 'lovelace ayse', limit: 9 })).map(({ id }) => id),
  };
  await store.updateKey('key_some', { events: ['ab12cd'] }, AN_AUDIT_ENTRY);
  const after = await store.listKeys();
  await store.close();

  expect(before).toMatchObject([
    { id: 'key_some', organisationId: 'org_a', events: ['ab12cd', 'ij56kl'], active: true },
  ]);
  expect(after).toMatchObject([{ id: 'key_some', events: ['ab12cd'] }]);
  expect(read).toMatchObject({
    found: [SECOND],
    info: { version: MIGRATIONS.length, versionFound: 4 },
    organisations: [
      { id: 'org_a', name: 'Arena', limits: { ratePerSecond: 50, keysMax: 3 } },
      { id: 'org_b', name: 'Bath', limits: { ratePerSecond: 5.5, keysMax: 1 } },
    ],
    events: [
      ['ab12cd', 'org_a'],
      ['ef34gh', 'org_b'],
      ['ij56kl', 'org_a'],
    ],
    uses: [1, 2],
    log: [['key_some', FIRST]],
    devices: [['key_some', 'S-1']],
    requests: 40,
    audit: { tickets: 2, scans: 1, problems: [] },
  });
});

test('a store of an earlier format is left alone while a program has it open', async () => {
  const server = earlierStore(4, RECORDS);
  server.prepare('SELECT public_id FROM api_key').all();

  await expect(openSqliteStore(path)).rejects.toMatchObject({
    code: 'store_busy',
    message: expect.stringContaining('Stop that program (ticketscan serve) first'),
  });

  expect(server.prepare('SELECT public_id FROM api_key').all()).toHaveLength(2);
  server.close();
  const store = await openSqliteStore(path);
  expect(await store.listKeys()).toHaveLength(1);
  // And the file is shared again.
  const another = await openSqliteStore(path);
  expect(await another.listKeys()).toHaveLength(1);
  await another.close();
  await store.close();
}, 20_000);

test('a store of an earlier format is copied as it was before its format changes', async () => {
  earlierStore(4, RECORDS).close();

  await (await openSqliteStore(path)).close();

  const copy = new DatabaseSync(`${path}.format-4`, { readOnly: true });
  const found = {
    mode: statSync(`${path}.format-4`).mode & 0o777,
    application: copy.prepare('PRAGMA application_id').get(),
    version: copy.prepare('PRAGMA user_version').get(),
    keys: copy.prepare('SELECT id FROM api_key ORDER BY id').all(),
    uses: copy.prepare('SELECT uses_consumed FROM ticket_use ORDER BY ticket').all(),
    files: readdirSync(folder),
  };
  copy.close();
  expect(found).toMatchObject({
    mode: 0o600,
    application: { application_id: APPLICATION_ID },
    version: { user_version: 4 },
    keys: [{ id: 21 }, { id: 22 }],
    uses: [{ uses_consumed: 0 }, { uses_consumed: 2 }],
    files: ['store.db', 'store.db.format-4'],
  });
});

test('three copies of earlier formats are kept', async () => {
  for (const version of [1, 2, 3]) writeFileSync(`${path}.format-${version}`, '');
  earlierStore(4, RECORDS).close();

  await (await openSqliteStore(path)).close();

  expect(readdirSync(folder)).toEqual([
    'store.db',
    ...[2, 3, 4].map((n) => `store.db.format-${n}`),
  ]);
});

test('without room for the copy the store keeps its format', async () => {
  earlierStore(4, RECORDS).close();
  mkdirSync(`${path}.format-4`);

  await expect(openSqliteStore(path)).rejects.toMatchObject({
    code: 'store_unavailable',
    message: expect.stringContaining('The store was not changed.'),
  });

  const database = new DatabaseSync(path);
  expect(database.prepare('PRAGMA user_version').get()).toEqual({ user_version: 4 });
  database.close();
  expect(readdirSync(folder)).toEqual(['store.db', 'store.db.format-4']);
});

test('a backup of a store of an earlier format leaves one file, and the store as it is', async () => {
  earlierStore(4, RECORDS).close();

  await backupDatabase(path, join(folder, 'backup.db'), join(folder, '.backup.tmp'), () => {});

  const database = new DatabaseSync(path);
  expect(database.prepare('PRAGMA user_version').get()).toEqual({ user_version: 4 });
  database.close();
  expect(readdirSync(folder)).toEqual(['backup.db', 'store.db']);
});
