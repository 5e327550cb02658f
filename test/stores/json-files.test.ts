import {
  chmodSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openStore } from '../../src/stores/open-store.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { statusOfOutcome, TestStore } from '../support/stores.ts';

const pathOf = (gate: TestStore) => gate.url.slice('json:'.length);
const textOf = (gate: TestStore) => readFileSync(pathOf(gate), 'utf8');

test('a second program is told who has the store, and what to do', async () => {
  await using gate = await TestStore.open('json');

  await expect(openStore(gate.url)).rejects.toMatchObject({
    code: 'store_busy',
    message: expect.stringMatching(
      new RegExp(
        `store\\.json is in use by this process \\(${process.pid}\\).*stop that one first`,
      ),
    ),
  });
  await gate.reopen();
});

test('a lock that is something else is named, and may be removed', async () => {
  await using gate = await TestStore.open('json');
  await gate.store.close();
  writeFileSync(`${pathOf(gate)}.lock`, 'not a lock, but long enough to be looked at '.repeat(50));

  await expect(openStore(gate.url)).rejects.toMatchObject({
    code: 'store_damaged',
    message: expect.stringMatching(/store\.json\.lock .* remove it while no program/),
  });

  rmSync(`${pathOf(gate)}.lock`);
  gate.store = await openStore(gate.url);
});

test('what a killed program left of a new document is removed, and nothing of others', async () => {
  await using gate = await TestStore.open('json');
  await gate.store.close();
  const left = [`${pathOf(gate)}.being-written`];
  const others = [`${pathOf(gate)}.notes.tmp`, join(gate.folder, 'other.json.being-written')];
  for (const path of [...left, ...others]) writeFileSync(path, 'names of guests');

  await gate.reopen();

  expect([...left, ...others].filter((path) => existsSync(path))).toEqual(others);
});

test('permissions and links are kept', async () => {
  await using gate = await TestStore.open('json');
  await gate.store.close();
  expect(statSync(pathOf(gate)).mode & 0o777).toBe(0o600);
  chmodSync(pathOf(gate), 0o640);
  const link = join(gate.folder, 'link.json');
  symlinkSync(pathOf(gate), link);

  const store = await openStore(`json:${link}`);
  await store.write({
    records: [
      {
        kind: 'organisation',
        before: null,
        after: {
          id: 'org_x',
          name: 'X',
          limits: { ratePerSecond: 1, burst: 1, quotaPerMonth: 1, keysMax: 1 },
          createdAt: 0,
        },
      },
    ],
    audit: [AN_AUDIT_ENTRY],
  });
  await store.close();

  expect(statSync(pathOf(gate)).mode & 0o777).toBe(0o640);
  expect(textOf(gate)).toContain('org_x');
  expect(existsSync(`${link}.db`)).toBe(false);
});

test('a folder that is none, and a file that is no document, are named', async () => {
  await using gate = await TestStore.open('json');
  await expect(openStore('json:/nowhere/at/all.json')).rejects.toThrow(
    /\/nowhere\/at does not exist/,
  );
  await expect(openStore(`json:${gate.folder}`)).rejects.toMatchObject({ code: 'usage' });
});

test('whoever asks a store that is being closed is refused, and the files are whole', async () => {
  await using gate = await TestStore.open('json');
  const { id } = await gate.mint({ kind: 'multi', uses: 9 });
  const asked = [gate.scan(gate.request(id)), gate.scan(gate.request(id))];
  const closing = Promise.all([gate.store.close(), gate.store.close()]);
  const late = gate.scan(gate.request(id));

  await expect(late).rejects.toThrow('closed');
  await closing;
  expect((await Promise.all(asked)).flat().map(statusOfOutcome)).toEqual(['consumed', 'consumed']);
  gate.store = await openStore(gate.url);
  expect(await gate.store.findTicket(id)).toMatchObject({ usesConsumed: 2 });
});

test.each([
  ['[]', /is JSON, but not the document of a ticketscan store/],
  ['{"tickets": []}', /is JSON, but not the document of a ticketscan store/],
  ['{"format": 1}', /: is missing/],
  ['{"format": 1,\n "tickets": }', /is not valid JSON: line 2, column 13/],
])('a file that is something else is named as that: %s', async (content, message) => {
  await using gate = await TestStore.open('json');
  const file = join(gate.folder, 'other.json');
  writeFileSync(file, content);
  await expect(openStore(`json:${file}`)).rejects.toThrow(message);
});

test('while the database is gone nothing is acknowledged, and none is made in its place', async () => {
  await using gate = await TestStore.open('json');
  const { id } = await gate.mint({ kind: 'multi', uses: 9 });
  await gate.scan(gate.request(id));
  const database = `${pathOf(gate)}.db`;
  const gone = { code: 'store_unavailable' };

  renameSync(database, `${database}.moved`);
  await expect(gate.scan(gate.request(id))).rejects.toMatchObject(gone);
  await expect(gate.store.close()).rejects.toMatchObject(gone);
  expect(existsSync(database)).toBe(false);
  renameSync(`${database}.moved`, database);

  gate.store = await openStore(gate.url);
  expect(await gate.problems()).toEqual([]);
});
