import {
  chmodSync,
  copyFileSync,
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
import { nextLine, readLog } from '../../src/stores/json/log-file.ts';
import { openStore } from '../../src/stores/open-store.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { fillStore } from '../support/full-store.ts';
import { statusOfOutcome, TestStore } from '../support/stores.ts';

const pathOf = (gate: TestStore) => gate.url.slice('json:'.length);
const textOf = (gate: TestStore) => readFileSync(pathOf(gate), 'utf8');

/** The files as a crash would leave them now. */
function copyOf(gate: TestStore, name: string): string {
  const copy = join(gate.folder, name);
  copyFileSync(pathOf(gate), copy);
  copyFileSync(`${pathOf(gate)}.log`, `${copy}.log`);
  return `json:${copy}`;
}

test('a crash between the new document and the shorter log does no harm', async () => {
  await using gate = await TestStore.open('json');
  const { card } = await fillStore(gate);
  await gate.scan(gate.request(card.id, { now: gate.clock.now() + 5000 }));
  await gate.store.pruneLog(gate.clock.now() + 1, 100);
  const long = copyOf(gate, 'long.json').slice('json:'.length);
  await gate.store.close();
  // As it lies there after the document was replaced: its last line, which the document names, is of the clean end.
  const ended = readLog(readFileSync(`${long}.log`), long);
  const closed = nextLine(ended.last, { closed: true });
  const bytes = readFileSync(`${long}.log`).subarray(0, ended.end);
  writeFileSync(`${long}.log`, Buffer.concat([bytes, Buffer.from(`${closed.text}\n\n`)]));
  writeFileSync(long, textOf(gate));

  gate.store = await openStore(`json:${long}`);

  expect(await gate.store.readLog({ limit: 100 })).toHaveLength(1);
  expect(await gate.problems()).toEqual([]);
  expect(await gate.store.findTicket(card.id)).toMatchObject({ usesConsumed: 4 });
});

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

test('while the log is gone nothing is acknowledged; when it is back, work goes on', async () => {
  await using gate = await TestStore.open('json');
  const { id } = await gate.mint({ kind: 'multi', uses: 9 });
  await gate.scan(gate.request(id));
  const log = `${pathOf(gate)}.log`;
  const gone = { code: expect.stringMatching(/^store_unavailable$/) };

  renameSync(log, `${log}.moved`);
  await expect(gate.scan(gate.request(id))).rejects.toMatchObject(gone);
  await expect(gate.scan(gate.request(id))).rejects.toMatchObject(gone);
  await expect(gate.store.checkWritable()).rejects.toMatchObject(gone);
  expect(existsSync(log)).toBe(false);
  const stranger = 'the notes of somebody else\n'.repeat(9);
  writeFileSync(log, stranger);
  await expect(gate.scan(gate.request(id))).rejects.toThrow(/damaged|replaced/);
  expect(readFileSync(log, 'utf8')).toBe(stranger);
  renameSync(`${log}.moved`, log);

  expect(await gate.consume(id)).toBe('consumed');
  expect(await gate.store.findTicket(id)).toMatchObject({ usesConsumed: 2 });
  await gate.reopen();
  expect(await gate.store.findTicket(id)).toMatchObject({ usesConsumed: 2 });
  expect(await gate.problems()).toEqual([]);
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

test('a document without its log, and a log without its document, are refused', async () => {
  await using gate = await TestStore.open('json');
  await gate.mint();
  await gate.store.close();
  const copy = join(gate.folder, 'copy.json');

  writeFileSync(copy, textOf(gate));
  await expect(openStore(`json:${copy}`)).rejects.toThrow(/copy\.json\.log is missing or empty/);
  const other = join(gate.folder, 'other.json');
  writeFileSync(`${other}.log`, readFileSync(`${pathOf(gate)}.log`));
  await expect(openStore(`json:${other}`)).rejects.toThrow(/other\.json is missing, but its log/);
});

test('a crash before the first document was there is no loss', async () => {
  await using gate = await TestStore.open('json', 'empty');
  await gate.store.close();
  const other = join(gate.folder, 'other.json');
  writeFileSync(`${other}.log`, readFileSync(`${pathOf(gate)}.log`));

  const store = await openStore(`json:${other}`);
  expect(await store.list('organisation')).toEqual([]);
  await store.close();
});

test('what a killed program left of a new document is removed, and nothing of others', async () => {
  await using gate = await TestStore.open('json');
  await gate.store.close();
  const left = ['.0123456789ab.tmp', '.log.0123456789ab.tmp'].map((end) => `${pathOf(gate)}${end}`);
  const others = [`${pathOf(gate)}.notes.tmp`, join(gate.folder, 'other.json.0123456789ab.tmp')];
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
  expect(existsSync(`${link}.log`)).toBe(false);
});

test('a folder that is none, and a file that is no document, are named', async () => {
  await using gate = await TestStore.open('json');
  await expect(openStore('json:/nowhere/at/all.json')).rejects.toThrow(
    /\/nowhere\/at does not exist/,
  );
  await expect(openStore(`json:${gate.folder}`)).rejects.toMatchObject({ code: 'usage' });
});

test('a pruned log is shorter on the disk too, and everything else is as it was', async () => {
  await using gate = await TestStore.open('json');
  const { card, retried } = await fillStore(gate);
  await gate.scan(gate.request(card.id, { serial: 'long ago' }));
  await gate.scan(gate.request(card.id, { now: gate.clock.now() + 5000 }));
  const answered = await gate.scan(retried);
  await gate.reopen();
  const bytesBefore = statSync(`${pathOf(gate)}.log`).size;

  const removed = await gate.store.pruneLog(gate.clock.now() + 1, 100);
  const crashed = copyOf(gate, 'crashed.json');
  await gate.store.close();

  expect(removed).toBe(10);
  const log = readFileSync(`${pathOf(gate)}.log`, 'utf8');
  // The statistics still count by it.
  expect(log).not.toContain('"serial":"long ago","reader"');
  expect(log.length).toBeLessThan(bytesBefore);
  for (const url of [gate.url, crashed]) {
    gate.store = await openStore(url);
    expect(await gate.store.readLog({ limit: 100 })).toMatchObject([
      { sequence: 11 },
      { sequence: 12 },
    ]);
    expect(await gate.problems()).toEqual([]);
    expect(await gate.scan(retried)).toEqual(answered);
    expect(await gate.store.findTicket(card.id)).toMatchObject({ usesConsumed: 5 });
    expect(await gate.store.info()).toMatchObject({ counts: { keys: 3, devices: 2 } });
    await gate.store.close();
  }
  gate.store = await openStore(gate.url);
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
