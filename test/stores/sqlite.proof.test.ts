import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { openStore } from '../../src/stores/open-store.ts';
import { statusOfOutcome, TestStore } from '../support/stores.ts';
import { lengthenLog } from './support/lengthen-log.ts';

const pathOf = (gate: TestStore) => gate.url.slice('sqlite:'.length);

test('two stores on one file see each other, before and after uses are flushed into the counters', async () => {
  await using gate = await TestStore.openInThread('sqlite');
  const other = await openStore(gate.url);
  const cards = await Promise.all(
    Array.from({ length: 200 }, () => gate.mint({ kind: 'multi', uses: 100 })),
  );
  const requests = cards.flatMap(({ id }) => Array.from({ length: 25 }, () => gate.request(id)));
  try {
    for (const store of [gate.store, other]) await store.commitScans(requests);
    lengthenLog(pathOf(gate));
    await gate.store.commitScans(requests);
    const { outcomes } = await other.commitScans([
      ...requests,
      ...cards.map(({ id }) => gate.request(id)),
    ]);
    const last = outcomes.slice(-cards.length).map(statusOfOutcome);
    expect(last).toEqual(cards.map(() => 'exhausted'));
    for (const { id } of cards)
      expect(await gate.store.findTicket(id)).toMatchObject({ usesConsumed: 100 });
    expect(await gate.store.verify()).toMatchObject({ problems: [] });
  } finally {
    await other.close();
  }
});

test('a scan does not wait for an audit', async () => {
  await using gate = await TestStore.openInThread('sqlite');
  const { id } = await gate.mint({ kind: 'multi', uses: 2 });
  const order: string[] = [];

  const audit = gate.store.verify().then(({ problems }) => order.push('audited', ...problems));
  await gate.scan(gate.request(id)).then(() => order.push('scanned'));
  await audit;

  expect(order).toEqual(['scanned', 'audited']);
});

test.each([1, 2, 3])('a store knows the %d uses that another has logged since', async (since) => {
  await using gate = await TestStore.openInThread('sqlite');
  const other = await gate.another();
  const { id } = await gate.mint({ kind: 'multi', uses: 10 });
  await gate.scan(gate.request(id));
  await other.commitScans(Array.from({ length: since }, () => gate.request(id)));

  const [next] = await gate.scan(gate.request(id));

  expect(next).toMatchObject({ decision: { ticket: { usesConsumed: since + 2 } } });
});

test('uses that were never flushed are counted when the file is opened again', async () => {
  await using gate = await TestStore.openInThread('sqlite');
  const { id } = await gate.mint();
  await gate.scan(gate.request(id));
  const copy = join(gate.folder, 'copy.db');
  const source = new DatabaseSync(pathOf(gate));
  source.exec(`VACUUM INTO '${copy}'`);
  expect(source.prepare('SELECT flushed_to FROM state').get()).toEqual({ flushed_to: 0 });
  source.close();

  const crashed = await openStore(`sqlite:${copy}`);
  const { outcomes } = await crashed.commitScans([gate.request(id)]);
  await crashed.close();

  expect(outcomes.map(statusOfOutcome)).toEqual(['exhausted']);
});

test.each([
  [
    'a counter that is one short',
    'UPDATE ticket_use SET uses_consumed = uses_consumed - 1',
    'Ticket <id> counts 1 use, but the log holds 2.',
  ],
  [
    'a counter above the limit',
    'UPDATE ticket_use SET uses_consumed = 9',
    'Ticket <id> was used 9 times, but allows 2.',
  ],
  [
    'a use numbered twice',
    'UPDATE scan_log SET uses_consumed = 2',
    'Ticket <id>: the uses in the log are not numbered 1 to 2 (1 different, 2 to 2).',
  ],
  [
    'uses that are numbered from 2 on',
    'UPDATE scan_log SET uses_consumed = uses_consumed + 1',
    'Ticket <id>: the uses in the log are not numbered 1 to 2 (2 different, 2 to 3).',
  ],
  [
    'a use that was deleted',
    'DELETE FROM scan_log WHERE sequence = 1',
    'Ticket <id> counts 2 uses, but the log holds 1.',
  ],
  [
    'imported uses that the counter does not hold',
    'INSERT INTO ticket_import SELECT ticket, 1 FROM ticket_use',
    'Ticket <id> counts 2 uses, but the log holds 2 and 1 more were imported or pruned.',
  ],
  ['a counter that is gone', 'DELETE FROM ticket_use', 'Ticket <id> has no counter.'],
  [
    'a use of nothing',
    'UPDATE scan_log SET ticket = 77 WHERE sequence = 2',
    'Ticket <id> counts 2 uses, but the log holds 1.',
    'Log entry 2 is a use of a ticket that does not exist.',
  ],
  [
    'a row that no statement of ours could have written',
    "PRAGMA ignore_check_constraints = ON; UPDATE ticket SET type = 'other'",
    'The database file is damaged: CHECK constraint failed in ticket',
  ],
  [
    'a use that names its ticket in words only',
    'UPDATE scan_log SET ticket = NULL WHERE sequence = 2',
    'Ticket <id> counts 2 uses, but the log holds 1.',
    'Log entry 2 is a use of a ticket that does not exist.',
  ],
])('audit finds %s', async (_name, sabotage, ...problems) => {
  await using gate = await TestStore.openInThread('sqlite');
  const { id } = await gate.mint({ kind: 'multi', uses: 2 });
  await gate.scan(gate.request(id), gate.request(id));
  await gate.store.close();
  const database = new DatabaseSync(pathOf(gate));
  database.exec(sabotage);
  database.close();

  gate.store = await openStore(gate.url);

  const found = await gate.store.verify();
  const ofUses = found.problems.filter((problem) => !problem.startsWith('The statistics count'));
  expect(ofUses.map((problem) => problem.replace(id, '<id>'))).toEqual(problems);
  expect(found).toMatchObject({ tickets: 1 });
});

test.each([
  ['a thread of its own', () => TestStore.openInThread('sqlite')],
  ['the thread of its caller', () => TestStore.open('sqlite')],
])('a store in %s is closed as often as anybody likes', async (_, open) => {
  await using gate = await open();
  for (let times = 0; times < 3; times += 1) await gate.store.close();
});

test("another program's database is refused", async () => {
  await using gate = await TestStore.openInThread('sqlite');
  const path = join(gate.folder, 'other.db');
  const database = new DatabaseSync(path);
  database.exec('CREATE TABLE x (y)');
  database.close();

  await expect(openStore(`sqlite:${path}`)).rejects.toMatchObject({
    message: expect.stringMatching(/not a ticketscan store/),
  });
});

test('a file that is no database is refused', async () => {
  await using gate = await TestStore.openInThread('sqlite');
  const path = join(gate.folder, 'text.db');
  writeFileSync(path, 'not a database, but long enough to be looked at '.repeat(50));

  await expect(openStore(`sqlite:${path}`)).rejects.toMatchObject({ code: 'store_damaged' });
});

test.each([
  ['sqlite:/nowhere/at/all.db', /\/nowhere\/at does not exist/],
  ['mysql://root:secret@host/db', /^"mysql:\/\/…" is not a store URL/],
])('what is wrong with %s is said without what may be a password', async (url, message) => {
  await expect(openStore(url)).rejects.toThrow(message);
});

test('a failed commit leaves no trace in what the store remembers', async () => {
  await using gate = await TestStore.openInThread('sqlite');
  const { id } = await gate.mint();
  const broken = gate.request(id, { serial: { not: 'a text' } as never });

  await expect(gate.scan(gate.request(id), broken)).rejects.toThrow();

  expect((await gate.scan(gate.request(id), gate.request(id))).map(statusOfOutcome)).toEqual([
    'consumed',
    'exhausted',
  ]);
  expect(await gate.problems()).toEqual([]);
});

/** How far the clocks of two processes on a store differ. */
const CLOCKS_DIFFER_MS = 5000;

test('stored answers are dropped once a scan is later than they are good for on any clock', async () => {
  await using gate = await TestStore.openInThread('sqlite');
  const { id } = await gate.mint({ kind: 'permanent' });
  const now = gate.clock.now();
  const named = (name: string, expiresAt: number) =>
    gate.request(id, { retry: { name, bodyHash: 'h', expiresAt } });
  const kept = () => {
    const reader = new DatabaseSync(pathOf(gate), { readOnly: true });
    const rows = reader.prepare('SELECT name FROM stored_answer ORDER BY name').all();
    reader.close();
    return rows.map(({ name }) => name);
  };

  await gate.scan(named('early', now + 10), named('late', now + 20));
  await gate.scan(gate.request(id, { now: now + CLOCKS_DIFFER_MS + 10 }));
  expect(kept()).toEqual(['early', 'late']);
  await gate.scan(gate.request(id, { now: now + CLOCKS_DIFFER_MS + 11 }));
  expect(kept()).toEqual(['late']);
  await gate.scan(gate.request(id, { now: now + CLOCKS_DIFFER_MS + 21 }), gate.request(id));
  expect(kept()).toEqual([]);
});

test('the log is flushed by its length, however few tickets it is about', async () => {
  await using gate = await TestStore.openInThread('sqlite');
  const { id } = await gate.mint({ kind: 'permanent' });
  const flushedTo = () => {
    const reader = new DatabaseSync(pathOf(gate), { readOnly: true });
    try {
      return reader.prepare('SELECT flushed_to FROM state').get()?.['flushed_to'];
    } finally {
      reader.close();
    }
  };

  await gate.scan(gate.request(id));
  await gate.store.countTickets();
  expect(flushedTo()).toBe(0);
  lengthenLog(pathOf(gate));
  await gate.scan(gate.request(id, { operation: 'validate' }));
  await gate.store.countTickets();

  expect(flushedTo()).toBe(131_074);
  expect(await gate.store.findTicket(id)).toMatchObject({ usesConsumed: 1 });
});
