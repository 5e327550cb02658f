import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import { LISTS, type List } from '../../src/stores/json/document.ts';
import {
  keepChanges,
  keepNumber,
  knowsNumber,
  pruneChanges,
  rowsAt,
} from '../../src/stores/json/document-changes.ts';
import { keepText } from '../../src/stores/json/document-texts.ts';
import { openStore } from '../../src/stores/open-store.ts';
import { MIGRATIONS } from '../../src/stores/sqlite/migrations.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import {
  createRecord,
  deleteEvent,
  deleteKey,
  deleteOrganisation,
  editKey,
  editOrganisation,
  putAdministrative,
  renameEvent,
} from '../support/records.ts';
import { TestStore } from '../support/stores.ts';

const pathOf = (gate: TestStore) => gate.url.slice('json:'.length);
const textOf = (gate: TestStore) => readFileSync(pathOf(gate), 'utf8');

/** The document of the current data, while the store stays open. */
async function written(gate: TestStore): Promise<string> {
  await gate.store.purgeErased(false);
  return textOf(gate);
}

type Raw = Readonly<Record<string, unknown>> & { readonly id: string };
type RawDocument = Record<List, Raw[]> & { written?: unknown };

/** How a program and a person change the rows of a list. */
interface ListCase {
  /** @param number makes it another one */
  readonly add: (gate: TestStore, number: number) => Promise<string>;
  readonly change: (gate: TestStore, id: string) => Promise<unknown>;
  readonly remove: (gate: TestStore, id: string) => Promise<unknown>;
  readonly byHand: (row: Raw) => Raw;
  /** A row that only the person has. */
  readonly other: (row: Raw) => Raw;
}

const CASES: Readonly<Record<List, ListCase>> = {
  organisations: {
    async add({ store }, number) {
      const id = `org_${number}`;
      const name = `Place ${number}`;
      await createRecord(store, 'organisation', { id, name, limits: DEFAULT_LIMITS, createdAt: 0 });
      return id;
    },
    change: ({ store }, id) => editOrganisation(store, id, { timeZone: 'UTC' }, [AN_AUDIT_ENTRY]),
    remove: ({ store }, id) => deleteOrganisation(store, id, 0, AN_AUDIT_ENTRY),
    byHand: (row) => ({ ...row, name: `By hand ${row.id}` }),
    other: (row) => ({ ...row, id: 'org_other', name: 'Other' }),
  },
  events: {
    async add({ store }, number) {
      const id = `event${number}`;
      const [organisation] = await store.list('organisation');
      const organisationId = organisation?.id ?? '';
      const event = { id, organisationId, name: `Day ${number}`, createdAt: 0, archivedAt: null };
      await createRecord(store, 'event', event);
      return id;
    },
    change: ({ store }, id) => renameEvent(store, id, `Night ${id}`, AN_AUDIT_ENTRY),
    remove: ({ store }, id) => deleteEvent(store, id, 0, AN_AUDIT_ENTRY),
    byHand: (row) => ({ ...row, name: `By hand ${row.id}` }),
    other: (row) => ({ ...row, id: 'otherr', name: 'Other' }),
  },
  keys: {
    async add(gate, number) {
      const id = `key_${number}`;
      const key = await gate.store.read('key', gate.keyId);
      if (!key) throw new Error('the store has no key');
      const limits = { ...DEFAULT_LIMITS, keysMax: 99 };
      if (number === 0)
        await editOrganisation(gate.store, key.organisationId, { limits }, [AN_AUDIT_ENTRY]);
      await createRecord(gate.store, 'key', { ...key, id, name: `Door ${number}` });
      return id;
    },
    change: ({ store }, id) => editKey(store, id, { active: false }, AN_AUDIT_ENTRY),
    remove: ({ store }, id) => deleteKey(store, id, 1, AN_AUDIT_ENTRY),
    byHand: (row) => ({ ...row, openSeconds: 9 }),
    other: (row) => ({ ...row, id: 'key_other', name: 'Other', hash: '0'.repeat(64) }),
  },
  administrative: {
    async add({ store }, number) {
      const id = `acc_${number}`;
      await putAdministrative(store, 'account', id, { name: `Ada ${number}` });
      return id;
    },
    change: ({ store }, id) => putAdministrative(store, 'account', id, { name: `Eve ${id}` }, 1),
    remove: ({ store }, id) => store.write({ deleted: [{ kind: 'account', id }], audit: [] }),
    byHand: (row) => ({ ...row, value: { name: 'By hand' } }),
    other: (row) => ({ ...row, id: 'acc_other', value: { name: 'Other' } }),
  },
  tickets: {
    add: async (gate) => (await gate.mint({ kind: 'multi', uses: 9 })).id,
    change: (gate, id) => gate.consume(id),
    remove: ({ store }, id) => store.deleteTickets([id], 0, AN_AUDIT_ENTRY),
    byHand: (row) => ({ ...row, usesAllowed: 7 }),
    other: (row) => ({ ...row, id: `${row.id.slice(0, -20)}${'o'.repeat(20)}` }),
  },
};

const rowsIn = (text: string, list: List): Raw[] =>
  ((JSON.parse(text) as RawDocument)[list] ?? []).toSorted((a, b) => (a.id < b.id ? -1 : 1));

/** Saves an edit of a text. @param edit of the rows of a list */
function save(gate: TestStore, text: string, list: List, edit: (rows: Raw[]) => Raw[]): void {
  const document = JSON.parse(text) as RawDocument;
  writeFileSync(pathOf(gate), JSON.stringify({ ...document, [list]: edit(document[list]) }));
}

const without = (id: string) => (rows: Raw[]) => rows.filter((row) => row.id !== id);
const edited = (id: string, byHand: ListCase['byHand']) => (rows: Raw[]) =>
  rows.map((row) => (row.id === id ? byHand(row) : row));

const EACH: readonly (readonly [List, number])[] = [
  ...LISTS.map((list) => [list, 3] as const),
  ['tickets', 1],
];

test.each(EACH)(
  '%s: what a person and the program each changed in other rows is both there, after an edit of a text %i writings ago',
  async (list, texts) => {
    await using gate = await TestStore.open('json');
    const { add, change, remove, byHand, other } = CASES[list];
    const ids: string[] = [];
    for (let number = 0; number < 6; number += 1) ids.push(await add(gate, number));
    const [kept = '', changed = '', removed = '', hand = '', gone = '', both = ''] = ids;
    const base = await written(gate);
    await change(gate, changed);
    if (texts > 1) await written(gate);
    await remove(gate, removed);
    await remove(gate, both);
    if (texts > 1) await written(gate);
    const added = await add(gate, 6);
    await gate.store.close();
    const program = rowsIn(textOf(gate), list);
    save(gate, base, list, (rows) => {
      const [first] = rows.filter(({ id }) => id === kept);
      const left = without(both)(without(gone)(edited(hand, byHand)(rows)));
      return [...left, ...(first ? [other(first)] : [])];
    });

    gate.store = await openStore(gate.url);

    expect(await gate.problems()).toEqual([]);
    const { notice = '' } = gate.store;
    await gate.store.close();
    const after = rowsIn(textOf(gate), list);
    const byId = new Map(after.map((row) => [row.id, row]));
    expect([...byId.keys()]).toEqual(expect.arrayContaining([kept, changed, hand, added]));
    const expected = [
      ...without(gone)(edited(hand, byHand)(program)),
      ...program.filter(({ id }) => id === kept).map(other),
    ];
    expect(after).toEqual(expected.toSorted((a, b) => (a.id < b.id ? -1 : 1)));
    for (const id of [removed, both, gone]) expect(byId.has(id)).toBe(false);
    expect(notice).toMatch(/^store\.json was made from an earlier text than the last one/);
    expect(notice).toMatch(/1 \w+ added \(.*1 \w+ changed \(.*1 \w+ removed \(/);
    expect(notice).toContain(gone);
    gate.store = await openStore(gate.url);
    expect(gate.store.notice, 'it is told once').toBeUndefined();
  },
);

test.each(LISTS.map((list) => [list, 3] as const))(
  '%s: a row that both changed since a text %i writings ago is refused by name, and an earlier text without edits changes nothing',
  async (list, texts) => {
    await using gate = await TestStore.open('json');
    const { add, change, remove, byHand } = CASES[list];
    const [changed, removed] = [await add(gate, 0), await add(gate, 1)];
    const base = await written(gate);
    await change(gate, changed);
    if (texts > 1) await written(gate);
    await remove(gate, removed);
    if (texts > 1) await written(gate);
    const added = await add(gate, 2);
    await gate.store.close();
    const last = textOf(gate);
    const theirs = rowsIn(last, list).filter(({ id }) => id === added);
    const cases: [string, (rows: Raw[]) => Raw[]][] = [
      [changed, edited(changed, byHand)],
      [changed, without(changed)],
      [removed, edited(removed, byHand)],
      [added, (rows) => [...rows, ...theirs.map(byHand)]],
    ];
    for (const [id, edit] of cases) {
      save(gate, base, list, edit);
      const file = textOf(gate);
      await expect(openStore(gate.url), id).rejects.toMatchObject({
        code: 'store_damaged',
        message: expect.stringMatching(
          new RegExp(`${id} was (edited|removed) here, and meanwhile the program has`),
        ),
      });
      expect(textOf(gate)).toBe(file);
    }

    writeFileSync(pathOf(gate), base);
    gate.store = await openStore(gate.url);
    expect(gate.store.notice).toMatch(/Nothing in it was edited\.$/);
    expect(textOf(gate)).toBe(last);
  },
);

/** A store with a text of before, in which a ticket was sold, one cancelled, and a key disabled since. */
async function soldSince(gate: TestStore) {
  const { id: cancelled } = await gate.mint();
  const { id: hand } = await gate.mint({ kind: 'multi', uses: 9 });
  const base = await written(gate);
  await gate.store.cancelTickets([cancelled], gate.clock.now(), AN_AUDIT_ENTRY);
  await editKey(gate.store, gate.keyId, { active: false }, AN_AUDIT_ENTRY);
  const { id: sold } = await gate.mint();
  await written(gate);
  return { base, cancelled, hand, sold };
}

test('an editor that was open while a server sold tickets takes nothing back when it saves', async () => {
  await using gate = await TestStore.open('json');
  const { base, cancelled, hand, sold } = await soldSince(gate);
  writeFileSync(pathOf(gate), base.replace('"usesAllowed": 9', '"usesAllowed": 12'));
  await expect(gate.store.close()).rejects.toMatchObject({ code: 'conflict' });

  gate.store = await openStore(gate.url);

  expect(await gate.store.findTicket(sold)).toBeDefined();
  expect(await gate.store.findTicket(cancelled)).toMatchObject({ cancelledAt: expect.any(Number) });
  expect(await gate.store.findTicket(hand)).toMatchObject({ usesAllowed: 12 });
  expect(await gate.store.list('key')).toMatchObject([{ active: false }]);
  expect(gate.store.notice).toContain(`Edited: 1 ticket changed (${hand}).`);
  expect(textOf(gate)).toContain(sold);
});

test('an edit of the last text says what it removed, reinstated and enabled', async () => {
  await using gate = await TestStore.open('json');
  const { base, cancelled, sold } = await soldSince(gate);
  await gate.store.close();
  // Without its number an earlier text counts as an edit of the last one.
  writeFileSync(pathOf(gate), base.replace(/^ *"written".*\n/m, ''));

  gate.store = await openStore(gate.url);

  expect(gate.store.notice).toBe(
    `store.json was edited: 1 key enabled (${gate.keyId}), 1 ticket reinstated (${cancelled}), 1 ticket removed (${sold}).`,
  );
});

test.each<[string, (text: string) => string, RegExp]>([
  [
    'the number of no text',
    (text) => text.replace(/"written": (\d+)/, (_, n) => `"written": ${Number(n) + 1}`),
    /was made from a text that .*store\.json\.db does not know.*nothing was changed.*Move/is,
  ],
  [
    'a text in place of the number',
    (text) => text.replace(/"written": (\d+)/, '"written": "$1"'),
    /written \(line 3\): Invalid input: expected number/,
  ],
  [
    'zero',
    (text) => text.replace(/"written": \d+/, '"written": 0'),
    /written \(line 3\): Too small/,
  ],
])('is refused, and nothing changes: %s', async (_what, change, message) => {
  await using gate = await TestStore.open('json');
  const { sold } = await soldSince(gate);
  await gate.store.close();
  const text = textOf(gate);
  writeFileSync(pathOf(gate), change(text));
  await expect(openStore(gate.url)).rejects.toThrow(message);
  rmSync(pathOf(gate));
  gate.store = await openStore(gate.url);
  expect(await gate.store.findTicket(sold)).toBeDefined();
  expect(textOf(gate)).toBe(text);
});

test('the document of another store is refused, and is a store without the database', async () => {
  await using gate = await TestStore.open('json');
  await using other = await TestStore.open('json');
  const { id } = await other.mint();
  await other.store.close();
  await gate.store.close();
  writeFileSync(pathOf(gate), textOf(other));

  await expect(openStore(gate.url)).rejects.toThrow(/does not know/);
  for (const end of ['', '-wal', '-shm']) rmSync(`${pathOf(gate)}.db${end}`, { force: true });

  gate.store = await openStore(gate.url);
  expect(await gate.store.findTicket(id)).toBeDefined();
  expect(gate.store.notice).toBeUndefined();
  other.store = await openStore(other.url);
});

test.each([
  ['with its number', (text: string) => text],
  ['without one', (text: string) => text.replace(/^ *"written".*\n/m, '')],
])(
  'a document without its database stays as it is until something changes, %s',
  async (_how, change) => {
    await using gate = await TestStore.open('json');
    const { id } = await gate.mint({ kind: 'multi', uses: 9 });
    await gate.store.close();
    const text = change(textOf(gate));
    writeFileSync(pathOf(gate), text);
    rmSync(`${pathOf(gate)}.db`);

    gate.store = await openStore(gate.url);
    await gate.reopen();
    expect(textOf(gate)).toBe(text);
    expect(await gate.consume(id)).toBe('consumed');
    await gate.reopen();
    expect(textOf(gate)).toMatch(/"written": \d+/);
    expect(gate.store.notice).toBeUndefined();
  },
);

test('an edit is merged also after a kill between keeping the next text and giving it its name', async () => {
  await using gate = await TestStore.open('json');
  const { hand, base, sold } = await soldSince(gate);
  await gate.store.close();
  const last = textOf(gate);
  const database = new DatabaseSync(`${pathOf(gate)}.db`);
  keepText(database, 'next', last);
  keepText(database, 'now', base);
  database.close();
  writeFileSync(pathOf(gate), base.replace('"usesAllowed": 9', '"usesAllowed": 12'));

  gate.store = await openStore(gate.url);

  expect(await gate.store.findTicket(sold)).toBeDefined();
  expect(await gate.store.findTicket(hand)).toMatchObject({ usesAllowed: 12 });
  expect(gate.store.notice).toBe(`store.json was edited: 1 ticket changed (${hand}).`);
});

test('what was erased is not brought back by an earlier text, and no digest of it is left', async () => {
  await using gate = await TestStore.open('json');
  const guest = { kind: 'multi', uses: 9, firstName: 'Ada', lastName: 'Guest' } as const;
  const { id } = await gate.mint(guest);
  const { id: unused } = await gate.mint(guest);
  const base = await written(gate);
  expect(await gate.consume(id)).toBe('consumed');
  await written(gate);
  await gate.store.eraseHolders([id, unused], AN_AUDIT_ENTRY);
  await written(gate);
  await gate.store.close();
  const database = new DatabaseSync(`${pathOf(gate)}.db`);
  const left = database
    .prepare('SELECT line FROM document_change WHERE id = ? AND impersonal IS NOT NULL')
    .all(id);
  database.close();
  expect(left).toEqual([{ line: null }, { line: null }]);

  for (const one of [id, unused]) {
    save(gate, base, 'tickets', edited(one, CASES.tickets.byHand));
    await expect(openStore(gate.url), one).rejects.toThrow(`${one} was edited here`);
  }
  writeFileSync(pathOf(gate), base.replaceAll('"Ada"', '"Adele"'));
  gate.store = await openStore(gate.url);
  const { notice = '' } = gate.store;
  expect(notice).toContain(
    `Not taken over: what it says of guests who were erased since (${id}, ${unused}).`,
  );
  expect(notice).not.toContain('Nothing in it was edited');
  expect(await gate.store.findTicket(id)).toMatchObject({ holder: null, usesConsumed: 1 });
  expect(textOf(gate)).not.toContain('Guest');
});

test('texts are forgotten after a month, but for the one that was the document until then', async () => {
  const database = new DatabaseSync(':memory:');
  database.exec(MIGRATIONS[0] ?? '');
  const day = 86_400_000;
  const text = (number: number) => `{\n  "written": ${number},\n`;
  for (const at of [1, 2, 40, 50].map((one) => one * day)) {
    keepNumber(database, at);
    const change = { list: 'events', id: 'e', before: undefined, after: '{}' } as const;
    keepChanges(database, text(at), [change]);
  }
  pruneChanges(database, 60 * day);
  expect([1, 2, 40, 50].map((one) => knowsNumber(database, one * day))).toEqual([
    false,
    true,
    true,
    true,
  ]);
  expect(rowsAt(database, 2 * day).size).toBe(1);
  expect(database.prepare('SELECT count(*) AS n FROM document_change').get()).toEqual({ n: 2 });
  database.close();
});
