import { existsSync, readdirSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStore } from '../../../src/stores/open-store.ts';
import { Workplace } from '../../mint/support/program.ts';
import { AN_AUDIT_ENTRY } from '../../support/an-audit-entry.ts';
import { editOrganisation } from '../../support/records.ts';

const place = new Workplace();

beforeAll(async () => {
  await place.output('seed', '--count', '10', '--out', 'target.json');
});

afterAll(() => place.remove());

test('a store is copied from engine to engine and back, and is the same', async () => {
  const there = await place.json<Copy>('store', 'copy', 'sqlite:./ticketscan.db', 'json:./a.json');
  const back = await place.json<Copy>('store', 'copy', 'json:./a.json', 'sqlite:./again.db');

  expect(there).toMatchObject({ from: 'sqlite:./ticketscan.db', to: 'json:./a.json', equal: true });
  expect(there.sections['tickets']?.records).toBe(170);
  expect(back.sections).toEqual(there.sections);
  expect(await place.json('audit', '--store', 'sqlite:./again.db')).toMatchObject({ ok: true });
});

test.each([
  ['a source that is not there', 'sqlite:./nowhere.db', 'sqlite:./x.db', 3, 'No store exists'],
  ['a source in memory', 'memory:', 'sqlite:./x.db', 2, 'is always empty'],
  ['itself', 'sqlite:./ticketscan.db', 'sqlite:ticketscan.db', 2, 'are the same store'],
  ['a store in memory', 'sqlite:./ticketscan.db', 'memory:', 2, 'would be lost'],
  ['another URL', 'sqlite:./ticketscan.db', 'mysql://u:secret@h/d', 2, 'is not a store URL'],
])('a copy with %s is refused', async (_, from, to, exitCode, message) => {
  const { code, stdout, stderr } = await place.run('store', 'copy', from, to);

  expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' });
  expect(stderr).toContain(message);
  expect(stderr).not.toContain('secret');
  expect(existsSync(place.path('nowhere.db'))).toBe(false);
  expect(existsSync(place.path('x.db'))).toBe(false);
});

test('a copy into a store that holds something is refused and changes nothing', async () => {
  await place.output('events', 'create', '--name', 'Mine', '--store', 'sqlite:./mine.db');
  const before = await place.json('store', 'info', '--store', 'sqlite:./mine.db');

  const { code } = await place.run('store', 'copy', 'sqlite:./ticketscan.db', 'sqlite:./mine.db');

  expect(code).toBe(2);
  expect(await place.json('store', 'info', '--store', 'sqlite:./mine.db')).toEqual(before);
});

test('info tells engine, format, counts and size; what is not there is not made', async () => {
  const info = await place.json('store', 'info');
  const missing = await place.run('store', 'info', '--store', 'sqlite:./none.db');

  expect(info).toMatchObject({
    engine: 'sqlite',
    counts: { organisations: 2, tickets: 170 },
    bytes: expect.any(Number),
    details: { walBytes: expect.any(Number) },
  });
  expect(missing).toMatchObject({ code: 3, stderr: expect.stringContaining('No store exists') });
  expect(existsSync(place.path('none.db'))).toBe(false);
});

test('an audit of what is not there proves nothing, and makes nothing', async () => {
  const { code, stdout, stderr } = await place.run('audit', '--store', 'sqlite:./none.db');

  expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
  expect(stderr).toContain('No store exists at sqlite:./none.db');
  expect(existsSync(place.path('none.db'))).toBe(false);
});

test('migrate says from which format to which', async () => {
  const now = await place.json<{ from: number; to: number }>('store', 'migrate');
  const database = new DatabaseSync(place.path('old.db'));
  database.close();

  expect(now.from).toBe(now.to);
  expect(await place.json('store', 'migrate', '--store', 'sqlite:./old.db')).toEqual({
    from: 0,
    to: now.to,
  });
});

test('a backup of a store that is written to is sound, whole and of one moment', async () => {
  const store = await openStore(`sqlite:${place.path('ticketscan.db')}`);
  const { limits, id } = (await store.list('organisation'))[0] ?? never();
  const writing = new AbortController();
  const writer = (async () => {
    let writes = 0;
    while (!writing.signal.aborted) {
      await editOrganisation(store, id, { limits: limits }, [AN_AUDIT_ENTRY]);
      writes += 1;
    }
    return writes;
  })();
  const { tickets } = await place.json<{ tickets: number }>('store', 'backup', 'backup.db');
  writing.abort();
  const writes = await writer;
  await store.close();

  expect(writes).toBeGreaterThan(0);
  expect(tickets).toBe(170);
  expect(await place.json('audit', '--store', 'sqlite:./backup.db')).toMatchObject({ ok: true });
  expect(readdirSync(place.folder).filter((name) => /backup.*(tmp|wal|shm)/u.test(name))).toEqual(
    [],
  );
  const again = await place.run('store', 'backup', 'backup.db');
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('already exists') });
});

test('a backup of a store that is not sound is not made', async () => {
  await place.output('store', 'backup', 'spoilt.db');
  const database = new DatabaseSync(place.path('spoilt.db'));
  database.exec('UPDATE ticket_use SET uses_consumed = uses_consumed + 1 WHERE ticket = 1');
  database.close();

  const { code, stderr } = await place.run(
    ...['store', 'backup', 'worse.db', '--store', 'sqlite:./spoilt.db'],
  );

  expect(code).not.toBe(0);
  expect(stderr).toContain('NOT made');
  expect(existsSync(place.path('worse.db'))).toBe(false);
});

test.each([
  ['target.json', 'is not a SQLite database'],
  ['foreign.db', 'not a ticketscan store'],
  ['.', 'cannot be opened'],
])('a backup of %s, which is no store, says so as every command does', async (file, message) => {
  const noStore = ['--store', `sqlite:./${file}`];
  const foreign = new DatabaseSync(place.path('foreign.db'));
  foreign.exec('CREATE TABLE IF NOT EXISTS theirs (a)');
  foreign.close();

  const [backup, info] = [
    await place.run('store', 'backup', 'other.db', ...noStore),
    await place.run('store', 'info', ...noStore),
  ];

  expect(backup).toEqual(info);
  expect(info.stderr).toContain(message);
});

test.each(['abc', '-3', '1.5', ''])('log --after %j is refused', async (after) => {
  const { code, stdout, stderr } = await place.run('log', `--after=${after}`);

  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('--after must be a whole number of at least 0');
});

test('log prune only tells what would go; with --yes it goes, and the audit agrees', async () => {
  const store = ['--store', 'sqlite:./again.db'];
  const before = await place.json<{ scans: number }>('audit', ...store);
  const prune = ['log', 'prune', '--before', '2999-01-01', '--time-zone', 'UTC', ...store];

  const told = await place.json<{ removed: number; entries: number }>(...prune);
  const untouched = await place.json('audit', ...store);
  const done = await place.json(...prune, '--yes');

  expect(told).toMatchObject({ removed: 0, entries: before.scans - 1 });
  expect(untouched).toEqual(before);
  expect(done).toMatchObject({ removed: before.scans - 1 });
  expect(await place.json('audit', ...store)).toMatchObject({ ok: true, scans: 1 });
  const used = await place.json<unknown[]>('tickets', 'list', '--state', 'exhausted', ...store);
  expect(used.length).toBeGreaterThan(0);
});

test.each([
  [['--store', 'sqlite:./other.db']],
  [['--ticket', 'tkt_ab12cd_0123456789abcdefghij']],
  [['--json']],
])('nothing is pruned with %j in front of prune, which would not see it', async (options) => {
  const before = await place.json('audit');
  const prune = ['prune', '--before', '2999-01-01', '--yes'];
  const { code, stderr } = await place.run('log', ...options, ...prune);

  expect(code).toBe(2);
  expect(stderr).toContain(`${options[0]} comes before "prune"`);
  expect(await place.json('audit')).toEqual(before);
});

test('a log that does not agree with its counters is not pruned', async () => {
  const store = ['--store', 'sqlite:./spoilt.db'];
  const prune = ['log', 'prune', '--before', '2999-01-01', '--yes', ...store];

  const { code, stderr } = await place.run(...prune);

  expect(code).not.toBe(0);
  expect(stderr).toContain('Nothing was removed');
});

interface Copy {
  readonly equal: boolean;
  readonly sections: Record<string, { records: number; checksum: string }>;
}

function never(): never {
  throw new Error('the seeded store has no organisation');
}
