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
import * as z from 'zod';
import { nextLine, readLog } from '../../src/stores/json/log-file.ts';
import { openStore } from '../../src/stores/open-store.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { fillStore } from '../support/full-store.ts';
import { editKey, editOrganisation } from '../support/records.ts';
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

/** Closes the store, lets `change` edit the document, and tries to open it. */
async function edited(gate: TestStore, change: (text: string) => string): Promise<unknown> {
  await gate.store.close();
  const before = textOf(gate);
  const after = change(before);
  expect(after).not.toBe(before);
  writeFileSync(pathOf(gate), after);
  try {
    gate.store = await openStore(gate.url);
    return undefined;
  } catch (error) {
    expect(textOf(gate), 'what is refused is left alone').toBe(after);
    return error;
  }
}

test('after a clean stop the document holds what people read: one record a line, times as text', async () => {
  await using gate = await TestStore.open('json');
  const { id } = await gate.mint({ kind: 'multi', uses: 3, firstName: 'Zoë', lastName: 'Müller' });
  await gate.scan(gate.request(id));
  await gate.store.close();

  const lines = textOf(gate).split('\n');

  expect(lines.find((line) => line.includes(id))).toBe(
    `    { "id": "${id}", "ticketType": "multi", "usesAllowed": 3, "usesConsumed": 1, ` +
      '"holder": { "firstName": "Zoë", "lastName": "Müller" }, ' +
      '"lastConsumedAt": "2026-07-01T12:00:00.000Z", "createdAt": "2026-07-01T12:00:00.000Z" }',
  );
  expect(lines.filter((line) => line.startsWith('  "')).map((line) => line.split('"')[1])).toEqual([
    'format',
    'log',
    'organisations',
    'events',
    'keys',
    'tickets',
  ]);
  expect(textOf(gate)).not.toContain('tscn_');
});

test('the log calls an operation as in every store so far', async () => {
  await using it = await TestStore.open('json');
  const { id } = await it.mint();
  await it.scan(it.request(id, { operation: 'validate' }));

  const entries = readFileSync(`${pathOf(it)}.log`, 'utf8')
    .trim()
    .split('\n')
    .flatMap((line) => JSON.parse(line).changes ?? [])
    .filter(([kind]: [string]) => kind === 'scan');

  expect(entries).toEqual([['scan', expect.objectContaining({ action: 'validate' })]]);
  expect(entries[0][1]).not.toHaveProperty('operation');
  await it.reopen();
  expect(await it.store.readLog({ limit: 1 })).toMatchObject([{ operation: 'validate' }]);
});

test('a use changes one line of the document, and a session without changes none', async () => {
  await using gate = await TestStore.open('json');
  const tickets = [await gate.mint(), await gate.mint(), await gate.mint()];
  await gate.reopen();
  const before = textOf(gate).split('\n');
  await gate.reopen();
  expect(textOf(gate).split('\n')).toEqual(before);

  await gate.scan(gate.request(tickets[1]?.id ?? ''));
  await gate.reopen();

  const changed = textOf(gate)
    .split('\n')
    .filter((line, index) => line !== before[index]);
  expect(changed).toHaveLength(2);
  expect(changed[0]).toMatch(/"log":/);
  expect(changed[1]).toContain(tickets[1]?.id);
});

test('what was edited by hand holds after the next start', async () => {
  await using gate = await TestStore.open('json');
  const { id } = await gate.mint({ kind: 'multi', uses: 2 });
  await gate.scan(gate.request(id));

  const change = (text: string) =>
    text
      .replace('"name": "Pool"', '"name": "Hallenbad"')
      .replace('"usesAllowed": 2', '"usesAllowed": 10')
      .replace('{\n', '{\n  "$schema": "./ticketscan-store.schema.json",\n');
  expect(await edited(gate, change)).toBeUndefined();

  expect(await gate.store.list('event')).toMatchObject([{ name: 'Hallenbad' }]);
  expect(await gate.store.findTicket(id)).toMatchObject({ usesAllowed: 10, usesConsumed: 1 });
  await gate.scan(gate.request(id));
  await gate.reopen();
  expect(textOf(gate)).toMatch(/^\{\n {2}"\$schema": "\.\/ticketscan-store\.schema\.json",\n/);
  expect(await gate.problems()).toEqual([]);
});

test.each([
  [
    'a number as text',
    /"usesAllowed": 3/,
    '"usesAllowed": "3"',
    'tickets[1].usesAllowed (line 15): Invalid input: expected number, received string',
  ],
  ['a misspelt member', /"usesAllowed": 3/, '"useAllowed": 3', 'tickets[1].usesAllowed (line 15)'],
  [
    'a ticket twice',
    /(tkt_\w{6}_)\w+(?=[^\n]*"usesAllowed": 3)/,
    (_: string, event: string) => `${event}${'7'.repeat(20)}`,
    'tickets[2].id (line 16): the same as in tickets[1]',
  ],
  [
    'an event of nobody',
    /"organisationId": "org_\w+", "name": "Pool"/,
    '"organisationId": "org_none", "name": "Pool"',
    'events[0].organisationId (line 8): unknown organisation org_none',
  ],
  [
    'a time that does not exist',
    /"createdAt": "2026-07-01T12:00:00.000Z" \}\n {2}\],\n {2}"events"/,
    '"createdAt": "2026-02-31" }\n  ],\n  "events"',
    'organisations[0].createdAt (line 5): expected an ISO 8601 time',
  ],
  [
    'a use taken back',
    /"usesConsumed": 1/,
    '"usesConsumed": 0',
    'tickets[0].usesConsumed (line 14): the log has 1, not 0; uses cannot be edited',
  ],
  ['a used ticket removed', /\n[^\n]*"usesConsumed": 1[^\n]*/, '', 'was used, but is missing'],
  ['another log', /"check": "\w+"/, '"check": "0000000000000000"', 'is not the log of'],
  ['a bracket too few', /\n\}\n$/, '\n', 'is not valid JSON'],
  ['nothing left', /^.*$/s, ' ', 'is not valid JSON'],
  ['a newer format', /"format": 1/, '"format": 2', 'written by a newer ticketscan'],
  [
    'more uses than allowed',
    /"usesAllowed": 1,/,
    '"usesAllowed": 0,',
    'tickets[0].usesAllowed (line 14)',
  ],
])(
  'a mistake made by hand is named by its path and line: %s',
  async (what, pattern, by, message) => {
    await using gate = await TestStore.open('json');
    const { id } = await gate.mint();
    const known = { ...(await gate.mint({ kind: 'multi', uses: 3 })) };
    await gate.scan(gate.request(id));
    if (what === 'a ticket twice') {
      await gate.store.insertTickets(
        [{ ...known, id: `tkt_${gate.eventId}_${'7'.repeat(20)}` }],
        AN_AUDIT_ENTRY,
      );
    }

    const error = await edited(gate, (text) => text.replace(pattern, by as string));

    expect(error).toMatchObject({ code: expect.stringMatching(/^store_(damaged|newer)$/) });
    expect((error as Error).message).toContain(message);
    expect((error as Error).message).toMatch(/nothing was changed/i);
  },
);

test.each([
  ['a time that no calendar has', { validUntil: 9e15 }, /tickets: .*[Ii]nvalid/],
  ['no use at all', { usesAllowed: 0 }, /usesAllowed/],
])(
  'what the document could not hold is refused, and nothing changes: %s',
  async (_what, wrong, message) => {
    await using gate = await TestStore.open('json');
    const known = await gate.mint();
    const ticket = { ...known, id: `tkt_${gate.eventId}_${'a'.repeat(20)}`, ...wrong };

    await expect(gate.store.insertTickets([ticket], AN_AUDIT_ENTRY)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(message),
    });

    expect(await gate.store.countTickets()).toBe(1);
    await gate.reopen();
    expect(await gate.store.countTickets()).toBe(1);
  },
);

test.each<[string, (gate: TestStore, ticketId: string) => Promise<unknown>, RegExp]>([
  [
    'limits',
    async ({ store }) => {
      const { id, limits } = (await store.list('organisation'))[0]!;
      await editOrganisation(store, id, { limits: { ...limits, burst: 0 } }, [AN_AUDIT_ENTRY]);
    },
    /organisations: limits.burst/,
  ],
  [
    'a key',
    (gate) => editKey(gate.store, gate.keyId, { openSeconds: 0 }, AN_AUDIT_ENTRY),
    /keys: openSeconds/,
  ],
  [
    'a ticket',
    ({ store }, id) => store.cancelTickets([id], 9e15, AN_AUDIT_ENTRY),
    /tickets: .*[Ii]nvalid/,
  ],
])('nor is a change that the document could not hold: %s', async (_what, change, message) => {
  await using gate = await TestStore.open('json');
  const { id } = await gate.mint();
  await gate.reopen();
  const before = [await gate.store.list('organisation'), await gate.store.list('key')];

  await expect(change(gate, id)).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringMatching(message),
  });

  await gate.reopen();
  expect([await gate.store.list('organisation'), await gate.store.list('key')]).toEqual(before);
  expect(await gate.store.findTicket(id)).toMatchObject({ cancelledAt: null });
});

test('the log keeps nothing of the keys of a deleted organisation', async () => {
  await using gate = await TestStore.open('json');
  const { administration } = gate;
  const made = await administration.createOrganisation('By mistake');
  const options = { name: 'theirs', type: 'api', events: 'all', organisation: made.id } as const;
  const { key } = await administration.createKey(options);
  await gate.scan({ ...gate.request(`tkt_${gate.eventId}_${'0'.repeat(20)}`), keyId: key.id });
  gate.clock.advance(1);
  await gate.scan(gate.request((await gate.mint()).id));
  await gate.store.pruneLog(gate.clock.now(), 1);
  await administration.deleteKey('theirs');
  await administration.deleteOrganisation(made);
  await gate.store.purgeErased(true);

  const changes = readFileSync(`${pathOf(gate)}.log`, 'utf8')
    .trim()
    .split('\n')
    .flatMap((line) => JSON.parse(line).changes ?? []);
  const named = changes.filter(([kind]: [string]) => kind !== 'act');
  expect(named.length).toBeGreaterThan(0);
  expect(JSON.stringify(named)).not.toContain(key.id);
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

test('the published schema takes what the store writes, and finds what is not right', async () => {
  await using gate = await TestStore.open('json');
  await fillStore(gate);
  const owner = {
    kind: 'account',
    id: 'acc_json',
    revision: 0,
    value: { name: 'Ada', list: [1], gone: undefined },
  } as const;
  await gate.store.write({ documents: [owner], audit: [] });
  await gate.store.close();
  const schema = z.fromJSONSchema(
    JSON.parse(readFileSync('docs/schemas/ticketscan-store.schema.json', 'utf8')),
  );
  const document = JSON.parse(textOf(gate));

  expect(schema.safeParse(document).success).toBe(true);
  const [first, ...rest] = document.tickets;
  for (const wrong of [
    { ...document, format: 2 },
    { ...document, tickets: [{ ...first, usesAllowed: '3' }, ...rest] },
    { ...document, tickets: [{ ...first, useAllowed: 3 }, ...rest] },
    { ...document, tickets: [{ ...first, createdAt: 'yesterday' }, ...rest] },
  ]) {
    expect(schema.safeParse(wrong).success).toBe(false);
  }
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
    expect(await gate.store.info()).toMatchObject({ counts: { keys: 3, devices: 1 } });
    await gate.store.close();
  }
  gate.store = await openStore(gate.url);
});

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

test('a document that was edited while a program used it keeps the edit, and loses no use', async () => {
  await using gate = await TestStore.open('json');
  const { id } = await gate.mint({ kind: 'multi', uses: 9 });
  await gate.scan(gate.request(id));
  await gate.reopen();
  await gate.scan(gate.request(id));
  writeFileSync(pathOf(gate), textOf(gate).replace('"name": "Pool"', '"name": "Hallenbad"'));
  await gate.scan(gate.request(id));

  await expect(gate.store.close()).rejects.toMatchObject({ code: 'conflict' });

  gate.store = await openStore(gate.url);
  expect(await gate.store.list('event')).toMatchObject([{ name: 'Hallenbad' }]);
  expect(await gate.store.findTicket(id)).toMatchObject({ usesConsumed: 3 });
  await gate.reopen();
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

test('a failed batch leaves no trace, neither in memory nor on the disk', async () => {
  await using gate = await TestStore.open('json');
  const { id } = await gate.mint();
  const broken = { ...gate.request(id), subject: undefined as never };

  await expect(gate.scan(gate.request(id), broken)).rejects.toThrow();

  expect(await gate.store.readLog({ limit: 10 })).toEqual([]);
  expect((await gate.scan(gate.request(id), gate.request(id))).map(statusOfOutcome)).toEqual([
    'consumed',
    'exhausted',
  ]);
  await gate.reopen();
  expect(await gate.problems()).toEqual([]);
  expect(await gate.store.requestsInMonth(gate.keyId, 202607)).toBe(2);
});

test('a folder that is none, and a file that is no document, are named', async () => {
  await using gate = await TestStore.open('json');
  await expect(openStore('json:/nowhere/at/all.json')).rejects.toThrow(
    /\/nowhere\/at does not exist/,
  );
  await expect(openStore(`json:${gate.folder}`)).rejects.toMatchObject({
    code: 'store_unavailable',
  });
});
