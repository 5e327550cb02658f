import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { openStore } from '../../src/stores/open-store.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { fillStore } from '../support/full-store.ts';
import { editKey, editOrganisation } from '../support/records.ts';
import { statusOfOutcome, TestStore } from '../support/stores.ts';

const pathOf = (gate: TestStore) => gate.url.slice('json:'.length);
const textOf = (gate: TestStore) => readFileSync(pathOf(gate), 'utf8');

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
    'written',
    'organisations',
    'events',
    'keys',
    'tickets',
  ]);
  expect(textOf(gate)).not.toContain('tscn_');
});

test('a use changes its line of the document and the number of the text, and a session without changes none', async () => {
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
  expect(changed).toEqual([
    expect.stringMatching(/^ {2}"written": \d+,$/),
    expect.stringContaining(tickets[1]?.id ?? ''),
  ]);
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

test('the published schema takes what the store writes, and finds what is not right', async () => {
  await using gate = await TestStore.open('json');
  await fillStore(gate);
  const owner = {
    kind: 'account',
    id: 'acc_json',
    revision: 0,
    value: { name: 'Ada', list: [1], gone: undefined },
  } as const;
  await gate.store.write({ administrative: [owner], audit: [] });
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
