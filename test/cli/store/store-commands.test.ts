import { existsSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStore } from '../../../src/stores/open-store.ts';
import { AN_AUDIT_ENTRY } from '../../support/an-audit-entry.ts';
import { InProcess } from '../../support/in-process.ts';
import { editOrganisation } from '../../support/records.ts';

const place = new InProcess();
const path = (name: string) => join(place.path, name);

beforeAll(async () => {
  await place.json('seed --count 10');
});
afterAll(() => place[Symbol.asyncDispose]());

test('a store is copied from engine to engine and back, and is the same', async () => {
  const there = await place.json('store copy sqlite:./ticketscan.db json:./a.json');
  const back = await place.json('store copy json:./a.json sqlite:./again.db');

  expect(there).toMatchObject({ from: 'sqlite:./ticketscan.db', to: 'json:./a.json', equal: true });
  expect(there.sections.tickets.records).toBe(170);
  expect(back.sections).toEqual(there.sections);
  expect(await place.json('audit --store sqlite:./again.db')).toMatchObject({ ok: true });
  expect(await place.json('store info')).toMatchObject({
    counts: { organisations: 2, tickets: 170 },
    details: { walBytes: expect.any(Number) },
  });
});

test('migrate says from which format to which', async () => {
  const now = await place.json('store migrate');
  new DatabaseSync(path('old.db')).close();
  expect(now.from).toBe(now.to);
  const old = await place.json('store migrate --store sqlite:./old.db');
  expect(old).toEqual({ from: 0, to: now.to });
});

test('a backup of a store that is written to is sound, whole and of one moment', async () => {
  const store = await openStore(`sqlite:${path('ticketscan.db')}`);
  const [{ limits, id } = never()] = await store.list('organisation');
  const writing = new AbortController();
  const writer = (async () => {
    let writes = 0;
    for (; !writing.signal.aborted; writes += 1)
      await editOrganisation(store, id, { limits }, [AN_AUDIT_ENTRY]);
    return writes;
  })();
  const { tickets } = await place.json('store backup backup.db');
  writing.abort();
  expect(await writer).toBeGreaterThan(0);
  await store.close();

  expect(tickets).toBe(170);
  expect(await place.json('audit --store sqlite:./backup.db')).toMatchObject({ ok: true });
  const left = readdirSync(place.path).filter((name) => /backup.*(tmp|wal|shm)/u.test(name));
  expect(left).toEqual([]);
});

test('a store that is not sound is neither backed up nor pruned', async () => {
  await place.json('store backup spoilt.db');
  const database = new DatabaseSync(path('spoilt.db'));
  database.exec('UPDATE ticket_use SET uses_consumed = uses_consumed + 1 WHERE ticket = 1');
  database.close();

  const backup = await place.run('store backup worse.db --store sqlite:./spoilt.db');
  const prune = await place.run('log prune --before 2999-01-01 --yes --store sqlite:./spoilt.db');

  expect([backup.code, backup.err]).toEqual([2, expect.stringContaining('NOT made')]);
  expect(existsSync(path('worse.db'))).toBe(false);
  expect([prune.code, prune.err]).toEqual([2, expect.stringContaining('Nothing was removed')]);
});

test('log prune only tells what would go; with --yes it goes, and the audit agrees', async () => {
  const store = '--store sqlite:./again.db';
  const prune = `log prune --before 2999-01-01 --time-zone UTC ${store}`;
  const before = await place.json(`audit ${store}`);

  const told = await place.json(prune);
  const untouched = await place.json(`audit ${store}`);
  const done = await place.json(`${prune} --yes`);

  expect(told).toMatchObject({ removed: 0, entries: before.scans - 1 });
  expect(untouched).toEqual(before);
  expect(done).toMatchObject({ removed: before.scans - 1 });
  expect(await place.json(`audit ${store}`)).toMatchObject({ ok: true, scans: 1 });
  const used: unknown[] = await place.json(`tickets list --state exhausted ${store}`);
  expect(used.length).toBeGreaterThan(0);
});

function never(): never {
  throw new Error('the seeded store has no organisation');
}

test('a document that was moved away is written anew by every command, also by one that only reads', async () => {
  await using folder = new InProcess();
  const store = '--store json:./gate.json';
  await folder.run(`seed --count 1 ${store}`);
  const before = await folder.json(`tickets list ${store}`);
  renameSync(join(folder.path, 'gate.json'), join(folder.path, 'moved.json'));

  expect(await folder.json(`tickets list ${store}`)).toEqual(before);

  renameSync(join(folder.path, 'gate.json'), join(folder.path, 'moved.json'));
  const { code, err } = await folder.run(`events create --name Later ${store}`);
  expect([code, err]).toEqual([0, expect.not.stringContaining('New store')]);
});
