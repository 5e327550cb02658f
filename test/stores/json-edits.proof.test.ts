import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test, vi } from 'vitest';
import { keepText, textsIn } from '../../src/stores/json/document-texts.ts';
import { openStore } from '../../src/stores/open-store.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { fillStore } from '../support/full-store.ts';
import { PATIENTLY } from '../support/patience.ts';
import { renameEvent } from '../support/records.ts';
import { TestStore } from '../support/stores.ts';

const pathOf = (gate: TestStore) => gate.url.slice('json:'.length);
const textOf = (gate: TestStore) => readFileSync(pathOf(gate), 'utf8');
const eventsIn = async ({ store }: TestStore) => (await store.list('event')).map((one) => one.name);

function edit(gate: TestStore, pattern: string | RegExp, by: string): string {
  const before = textOf(gate);
  const after = before.replace(pattern, by);
  expect(after).not.toBe(before);
  writeFileSync(pathOf(gate), after);
  return after;
}

/** The document of the current data, while the store stays open. */
async function written(gate: TestStore): Promise<string> {
  await gate.store.purgeErased(false);
  return textOf(gate);
}

test('a document without its database is a whole store, with the uses of its tickets', async () => {
  await using gate = await TestStore.open('json');
  const { card } = await fillStore(gate);
  const before = await gate.store.listTickets({ limit: 100 });
  await gate.store.close();
  const fixture = join(gate.folder, 'fixture.json');
  copyFileSync(pathOf(gate), fixture);

  gate.store = await openStore(`json:${fixture}`);

  expect(await gate.store.listTickets({ limit: 100 })).toEqual(before);
  expect(await gate.problems()).toEqual([]);
  expect(await gate.store.readLog({ limit: 9 })).toEqual([]);
  const { usesConsumed = 0 } = (await gate.store.findTicket(card.id)) ?? {};
  expect(await gate.consume(card.id)).toBe('consumed');
  expect(await gate.store.findTicket(card.id)).toMatchObject({ usesConsumed: usesConsumed + 1 });
  await gate.store.close();
  expect(readFileSync(fixture, 'utf8')).toContain(`"usesConsumed": ${usesConsumed + 1}`);
  gate.store = await openStore(gate.url);
});

test('every kind of row can be added, changed and removed by hand', async () => {
  await using gate = await TestStore.open('json');
  const event = await gate.administration.events.create('Sauna');
  const kept = await gate.mint({ kind: 'multi', uses: 3 });
  const sold = await gate.mint({ eventId: event.id });
  await gate.administration.keys.create({ name: 'side', type: 'hardware', events: [event.id] });
  await gate.store.close();
  const document = JSON.parse(textOf(gate));
  const { organisationId } = document.events[0];
  document.organisations[0].name = 'Stadtbad';
  document.events = [
    { ...document.events[0], name: 'Hallenbad' },
    { id: 'newone', organisationId, name: 'New', createdAt: '2026-01-01T00:00:00Z' },
  ];
  document.keys = document.keys
    .filter(({ name }: { name: string }) => name === 'gate')
    .map((key: object) => ({ ...key, events: ['newone'], openSeconds: 9 }));
  const added = `tkt_newone_${'a'.repeat(20)}`;
  document.tickets = [
    { ...document.tickets[0], usesAllowed: 7, holder: { firstName: 'Zoë', lastName: 'Ünal' } },
    { ...document.tickets[0], id: added, usesAllowed: 5, usesConsumed: 2 },
  ];
  document.administrative = [{ kind: 'events-max', id: organisationId, revision: 4, value: 9 }];
  writeFileSync(pathOf(gate), JSON.stringify(document));

  gate.store = await openStore(gate.url);

  expect(await gate.store.list('organisation')).toMatchObject([{ name: 'Stadtbad' }]);
  expect(await eventsIn(gate)).toEqual(['Hallenbad', 'New']);
  expect(await gate.store.list('key')).toMatchObject([{ events: ['newone'], openSeconds: 9 }]);
  expect(await gate.store.list('events-max')).toMatchObject([{ revision: 4, value: 9 }]);
  expect(await gate.store.listTickets({ limit: 9, search: 'unal' })).toMatchObject([
    { id: kept.id, usesAllowed: 7 },
  ]);
  expect(await gate.store.findTicket(added)).toMatchObject({ usesConsumed: 2 });
  expect(await gate.store.findTicket(sold.id)).toBeUndefined();
  expect(await gate.problems()).toEqual([]);
  await gate.reopen();
  expect(
    textOf(gate)
      .split('\n')
      .find((line) => line.includes(added)),
  ).toContain('"usesConsumed": 2');
});

test('rows that a program changed meanwhile stay, beside edits of other rows', async () => {
  await using gate = await TestStore.open('json');
  const card = await gate.mint({ kind: 'multi', uses: 9 });
  await gate.reopen();
  edit(gate, '"name": "Pool"', '"name": "Hallenbad"');
  expect(await gate.consume(card.id)).toBe('consumed');
  const later = await gate.mint();

  await expect(gate.store.close()).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringMatching(
      /store\.json was edited while a program used it\. The edit is kept/,
    ),
  });
  expect(textOf(gate)).toContain('Hallenbad');

  gate.store = await openStore(gate.url);
  expect(await eventsIn(gate)).toEqual(['Hallenbad']);
  expect(await gate.store.findTicket(card.id)).toMatchObject({ usesConsumed: 1 });
  expect(await gate.store.findTicket(later.id)).toBeDefined();
  await gate.reopen();
  expect(textOf(gate)).toContain(later.id);
  expect(await gate.problems()).toEqual([]);
});

test.each<
  [string, (gate: TestStore, ticketId: string) => Promise<unknown>, string, string, RegExp]
>([
  [
    'an event',
    async (gate) => renameEvent(gate.store, gate.eventId, 'Freibad', AN_AUDIT_ENTRY),
    '"name": "Pool"',
    '"name": "Hallenbad"',
    /events\[0\] \(line \d+\): \w{6} was edited here, and meanwhile the program has changed it to \{.*Freibad/,
  ],
  [
    'a ticket that was used',
    (gate, id) => gate.consume(id),
    '"usesAllowed": 9',
    '"usesAllowed": 12',
    /tickets\[0\] \(line \d+\): tkt_\w+ was edited here, and meanwhile .*"usesConsumed": 1/,
  ],
  [
    'a key that was deleted',
    (gate) => gate.administration.keys.delete(gate.keyId),
    '"openSeconds": 5',
    '"openSeconds": 6',
    /keys\[0\] \(line \d+\): key_\w+ was edited here, and meanwhile the program has deleted it/,
  ],
])(
  'a row that a person and a program changed is refused by name, and nothing is lost: %s',
  async (_what, change, before, after, message) => {
    await using gate = await TestStore.open('json');
    const { id } = await gate.mint({ kind: 'multi', uses: 9 });
    await gate.reopen();
    const original = textOf(gate);
    const text = edit(gate, before, after);
    await change(gate, id);
    await expect(gate.store.close()).rejects.toMatchObject({ code: 'conflict' });
    const database = readFileSync(`${pathOf(gate)}.db`);

    await expect(openStore(gate.url)).rejects.toMatchObject({
      code: 'store_damaged',
      message: expect.stringMatching(message),
    });

    expect(textOf(gate)).toBe(text);
    expect(readFileSync(`${pathOf(gate)}.db`)).toEqual(database);
    // Without the edit of that row, the program's is there.
    writeFileSync(pathOf(gate), original);
    gate.store = await openStore(gate.url);
    expect(await gate.problems()).toEqual([]);
  },
);

test('an edit that is wrong changes nothing, whatever else was edited', async () => {
  await using gate = await TestStore.open('json');
  const { id } = await gate.mint();
  await gate.store.close();
  edit(gate, '"name": "Pool"', '"name": "Hallenbad"');
  const text = edit(gate, `"id": "${gate.eventId}"`, '"id": "zzzzzz"');

  await expect(openStore(gate.url)).rejects.toThrow(/tickets\[0\]\.id \(line \d+\): unknown event/);

  expect(textOf(gate)).toBe(text);
  edit(gate, '"id": "zzzzzz"', `"id": "${gate.eventId}"`);
  gate.store = await openStore(gate.url);
  expect(await eventsIn(gate)).toEqual(['Hallenbad']);
  expect(await gate.store.findTicket(id)).toBeDefined();
});

test.each<[string, (text: string) => string, RegExp]>([
  [
    'be removed',
    (text) => text.replace(/,\n[^\n]*"usesAllowed": 3[^\n]*/, ''),
    /can be cancelled, not removed/,
  ],
  [
    'get another kind',
    (text) => text.replace('"usesAllowed": 3', '"usesAllowed": 9999'),
    /tickets \(line \d+\): tkt_\w+: the log has scans of it; the kind/,
  ],
])('a ticket that was only looked at cannot %s: the statistics have it', async (_, change, why) => {
  await using gate = await TestStore.open('json');
  await gate.mint();
  const { id } = await gate.mint({ kind: 'multi', uses: 3 });
  await gate.scan(gate.request(id, { operation: 'validate' }));
  await gate.store.close();
  const before = textOf(gate);
  writeFileSync(pathOf(gate), change(before));

  await expect(openStore(gate.url)).rejects.toThrow(why);

  writeFileSync(pathOf(gate), before);
  gate.store = await openStore(gate.url);
  expect(await gate.problems()).toEqual([]);
});

test('a document that is only written otherwise is no edit', async () => {
  await using gate = await TestStore.open('json');
  const { card } = await fillStore(gate);
  await gate.store.close();
  const document = JSON.parse(textOf(gate));
  document.tickets.reverse();
  const text = JSON.stringify(document, null, 4);
  writeFileSync(pathOf(gate), text);
  gate.store = await openStore(gate.url);
  expect(await gate.consume(card.id)).toBe('consumed');
  await gate.reopen();

  expect(await gate.problems()).toEqual([]);
  expect(textOf(gate)).not.toBe(text);
});

test('a missing document is written anew', async () => {
  await using gate = await TestStore.open('json');
  await gate.mint();
  await gate.reopen();
  const text = textOf(gate);
  rmSync(pathOf(gate));
  await gate.reopen();
  expect(textOf(gate)).toBe(text);
});

test('while a program runs the document follows it, and an edit stops that and is told once', async () => {
  await using gate = await TestStore.open('json');
  const told: string[] = [];
  gate.store.tellOperator?.((_, text) => told.push(text));
  const { id } = await gate.mint({ kind: 'multi', uses: 9 });
  await vi.waitFor(() => expect(textOf(gate)).toContain(id), PATIENTLY);
  const later = await gate.mint();
  await vi.waitFor(() => expect(textOf(gate)).toContain(later.id), PATIENTLY);

  const text = edit(gate, '"name": "Pool"', '"name": "Hallenbad"');
  expect(await gate.consume(id)).toBe('consumed');
  await vi.waitFor(() => expect(told).toHaveLength(1), PATIENTLY);
  expect(await gate.store.purgeErased(false)).toBe(false);

  expect(told).toEqual([expect.stringContaining('was edited while a program used it')]);
  expect(textOf(gate)).toBe(text);
  await expect(gate.store.close()).rejects.toMatchObject({ code: 'conflict' });
  expect(textOf(gate)).toBe(text);
  gate.store = await openStore(gate.url);
  expect(await eventsIn(gate)).toEqual(['Hallenbad']);
});

/** Swaps two names in the document. */
function swap(gate: TestStore, one: string, other: string): void {
  const text = textOf(gate).replaceAll(/"name": "([^"]*)"/gu, (whole, name) => {
    if (name !== one && name !== other) return whole;
    return `"name": "${name === one ? other : one}"`;
  });
  writeFileSync(pathOf(gate), text);
}

test('two events can swap their names, and two organisations, in one edit', async () => {
  await using gate = await TestStore.open('json');
  const { organisations, events } = gate.administration;
  const [first] = await gate.store.list('organisation');
  const second = await organisations.create('Zwei');
  await events.create('Freibad', first?.id);
  const before = await gate.store.list('event');
  await gate.store.close();
  const [one, other] = before.map(({ name }) => name);
  swap(gate, one ?? '', other ?? '');
  swap(gate, first?.name ?? '', second.name);

  gate.store = await openStore(gate.url);

  const after = await gate.store.list('event');
  expect(after.map(({ id, name }) => [id, name])).toEqual([
    [before[0]?.id, other],
    [before[1]?.id, one],
  ]);
  expect(await gate.store.read('organisation', second.id)).toMatchObject({ name: first?.name });
});

test('an edit of the document is one entry of the audit log; no edit is none', async () => {
  await using gate = await TestStore.open('json');
  const [{ id: organisationId } = {}] = await gate.store.list('organisation');
  await gate.mint();
  await gate.mint();
  const newest = async () => (await gate.store.readAuditLog({ limit: 1 }))[0];
  const before = await newest();
  await gate.store.close();
  gate.store = await openStore(gate.url);
  expect(await newest()).toEqual(before);
  await gate.store.close();
  const cancelled = '"cancelledAt": "2026-01-01T00:00:00.000Z", "id": "tkt_';
  writeFileSync(pathOf(gate), textOf(gate).replaceAll('"id": "tkt_', cancelled));

  gate.store = await openStore(gate.url);

  expect(await newest()).toMatchObject({
    organisationId,
    accountId: null,
    by: 'document',
    act: 'document.edit',
    subject: 'store.json',
    details: { tickets: 2 },
  });
  await gate.store.close();
  gate.store = await openStore(gate.url);
  expect((await newest())?.sequence).toBe((before?.sequence ?? 0) + 1);
});

test('what was erased is in the document no more, nor in what the database remembers of it', async () => {
  await using gate = await TestStore.open('json');
  const { id } = await gate.mint({ firstName: 'Zyxadora', lastName: 'Guest' });
  expect(await written(gate)).toContain('Zyxadora');

  await gate.store.eraseHolders([id], AN_AUDIT_ENTRY);
  expect(await gate.store.purgeErased(true)).toBe(true);

  expect(textOf(gate)).not.toContain('Zyxadora');
  const database = new DatabaseSync(`${pathOf(gate)}.db`);
  expect([...textsIn(database)]).toEqual([['now', textOf(gate)]]);
  database.close();
});

test('a copy that was cut short is in no document', async () => {
  await using gate = await TestStore.open('json', 'empty');
  await using source = await TestStore.open('sqlite');
  await source.store.beginSnapshot();
  const page = await source.store.readSnapshot('organisations', null, 10);
  await gate.store.importRecords(page, { source: 'x', section: 'organisations', next: null });
  await gate.store.close();

  expect(JSON.parse(textOf(gate)).organisations).toEqual([]);
  await expect(openStore(gate.url)).rejects.toMatchObject({ code: 'conflict' });
  rmSync(`${pathOf(gate)}.db`);
  gate.store = await openStore(gate.url);
});

/** The files as a program leaves them that is killed between two steps of writing the document. */
test.each<[string, (path: string, before: string) => void]>([
  ['before the new document has its name', (path, before) => writeFileSync(path, before)],
  ['after that', () => undefined],
])('a program that is killed %s leaves no edit', async (_when, leave) => {
  await using gate = await TestStore.open('json');
  const card = await gate.mint({ kind: 'multi', uses: 9 });
  const before = await written(gate);
  expect(await gate.consume(card.id)).toBe('consumed');
  await written(gate);
  const copy = join(gate.folder, 'copy.json');
  for (const name of readdirSync(gate.folder).filter((one) => one.startsWith('store.json')))
    copyFileSync(join(gate.folder, name), join(gate.folder, name.replace('store', 'copy')));
  leave(copy, before);
  const database = new DatabaseSync(`${copy}.db`);
  const now = textsIn(database).get('now') ?? '';
  keepText(database, 'next', now);
  keepText(database, 'now', before);
  database.close();
  rmSync(`${copy}.lock`, { force: true });

  const store = await openStore(`json:${copy}`);
  expect(await store.findTicket(card.id)).toMatchObject({ usesConsumed: 1 });
  await store.close();
  expect(readFileSync(copy, 'utf8')).toBe(now);
  expect(existsSync(`${copy}.db-wal`)).toBe(false);
  renameSync(copy, `${copy}.seen`);
});
