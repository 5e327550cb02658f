import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openStore } from '../../src/stores/open-store.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { TestStore } from '../support/stores.ts';

const pathOf = (gate: TestStore) => gate.url.slice('json:'.length);
const textOf = (gate: TestStore) => readFileSync(pathOf(gate), 'utf8');

function edit(gate: TestStore, pattern: string, by: string): string {
  const before = textOf(gate);
  const after = before.replace(pattern, by);
  expect(after).not.toBe(before);
  writeFileSync(pathOf(gate), after);
  return after;
}

const TICKET_OF_3 = '"usesAllowed": 3';

test.each<[string, string, string, RegExp]>([
  [
    'a single ticket of seven uses',
    '"usesAllowed": 1,',
    '"usesAllowed": 7,',
    /tickets\[0\]\.usesAllowed \(line 14\): .*1 use/,
  ],
  [
    'a card of one use',
    TICKET_OF_3,
    '"usesAllowed": 1',
    /tickets\[1\]\.usesAllowed \(line 15\): .*2 to 100/,
  ],
  ['a hash that is none', '"hash": "', '"hash": "z', /keys\[0\]\.hash .*64 hexadecimal/],
  [
    'a door that stays open for years',
    '"openSeconds": 5',
    '"openSeconds": 1000000000',
    /keys\[0\]\.openSeconds .*1 to 600/,
  ],
  [
    'a display of own software',
    '"relay": "auto"',
    '"relay": "auto", "nameOnDisplay": "none"',
    /keys\[0\]\.nameOnDisplay .*Only hardware/,
  ],
  [
    'a cancellation to come',
    TICKET_OF_3,
    `${TICKET_OF_3}, "cancelledAt": "2099-01-01T00:00:00Z"`,
    /cancelledAt .*later than now/,
  ],
  ['a card of 101 uses', TICKET_OF_3, '"usesAllowed": 101', /usesAllowed .*2 to 100/],
  ['more than a permanent card', TICKET_OF_3, '"usesAllowed": 10000', /usesAllowed .*2 to 100/],
  [
    'an end in the year 9999',
    TICKET_OF_3,
    `${TICKET_OF_3}, "validUntil": "9999-12-31T00:00:00Z"`,
    /validUntil .*1970 to 9998/,
  ],
  [
    'a beginning before 1970',
    TICKET_OF_3,
    `${TICKET_OF_3}, "validFrom": "1969-12-31T00:00:00Z"`,
    /validFrom .*1970 to 9998/,
  ],
  [
    'a cancellation in the year 9999',
    TICKET_OF_3,
    `${TICKET_OF_3}, "cancelledAt": "9999-01-01T00:00:00Z"`,
    /cancelledAt .*1970 to 9998/,
  ],
  [
    'a day that no month has',
    TICKET_OF_3,
    `${TICKET_OF_3}, "validUntil": "2026-02-31T00:00:00Z"`,
    /validUntil .*does not exist/,
  ],
  [
    'a control character in a holder',
    TICKET_OF_3,
    `${TICKET_OF_3}, "holder": { "firstName": "A\\u0000", "lastName": "B" }`,
    /holder .*control characters/,
  ],
  [
    'a direction in a holder',
    TICKET_OF_3,
    `${TICKET_OF_3}, "holder": { "firstName": "A", "lastName": "\\u202eB" }`,
    /holder .*control characters/,
  ],
  [
    'a bell in a reference',
    TICKET_OF_3,
    `${TICKET_OF_3}, "reference": "R\\u0007"`,
    /reference .*control characters/,
  ],
  [
    'a direction in the name of an event',
    '"name": "Pool"',
    '"name": "\\u202ePool"',
    /events\[0\]\.name .*control characters/,
  ],
  [
    'a key in the name of a key',
    '"name": "gate"',
    `"name": "tscn_api_${'a'.repeat(40)}"`,
    /keys\[0\]\.name .*API key/,
  ],
  [
    'a member twice',
    TICKET_OF_3,
    `${TICKET_OF_3}, ${TICKET_OF_3}`,
    /nothing was changed: line 15 has "usesAllowed" a second time/,
  ],
])(
  'what a person writes is held to the rules of every ticket and name, and refused with its place: %s',
  async (_what, pattern, by, message) => {
    await using gate = await TestStore.open('json');
    await gate.mint();
    await gate.mint({ kind: 'multi', uses: 3 });
    await gate.store.close();
    const before = textOf(gate);
    const text = edit(gate, pattern, by);

    await expect(openStore(gate.url)).rejects.toMatchObject({
      code: 'store_damaged',
      message: expect.stringMatching(message),
    });

    expect(textOf(gate)).toBe(text);
    writeFileSync(pathOf(gate), before);
    gate.store = await openStore(gate.url);
  },
);

test('what a program stored by other rules does not keep its store from opening', async () => {
  await using gate = await TestStore.open('json');
  const known = await gate.mint({ kind: 'multi', uses: 3 });
  const odd = { ...known, id: `tkt_${gate.eventId}_${'7'.repeat(20)}`, usesAllowed: 500 };
  await gate.store.insertTickets([odd], AN_AUDIT_ENTRY);
  await gate.store.close();
  edit(gate, TICKET_OF_3, '"usesAllowed": 4');

  gate.store = await openStore(gate.url);

  expect(await gate.store.findTicket(odd.id)).toMatchObject({ usesAllowed: 500 });
  expect(await gate.store.findTicket(known.id)).toMatchObject({ usesAllowed: 4 });
});

test('an edit neither adds nor opens an event for which its organisation has no room', async () => {
  await using gate = await TestStore.open('json');
  const { administration } = gate;
  const { id } = await administration.organisations.find(undefined);
  const old = await administration.events.create('Winter');
  await administration.events.archive(old);
  await administration.organisations.edit(id, { eventsMax: 1 });
  await gate.store.close();
  const before = textOf(gate);
  const document = JSON.parse(before) as { events: { id: string }[] };
  const opened = document.events.map((event) => ({ ...event, archivedAt: undefined }));
  const added = [...document.events, { ...document.events[0], id: 'summer', name: 'Summer' }];

  for (const events of [opened, added]) {
    writeFileSync(pathOf(gate), JSON.stringify({ ...document, events }));
    await expect(openStore(gate.url)).rejects.toThrow(/events \(line 1\): \w+: .*\b1\b/);
  }

  writeFileSync(pathOf(gate), before);
  gate.store = await openStore(gate.url);
});

test('an edit adds no key for which its organisation has no room; a document that is the whole store may have more', async () => {
  await using gate = await TestStore.open('json');
  await gate.store.close();
  const before = textOf(gate);
  const document = JSON.parse(before) as { keys: { id: string; hash: string }[] };
  const [key] = document.keys;
  const more = ['a', 'b', 'c'].map((letter) => ({
    ...key,
    id: `key_${letter.repeat(10)}`,
    hash: letter.repeat(64),
  }));
  const text = JSON.stringify({ ...document, keys: [...document.keys, ...more] });
  writeFileSync(pathOf(gate), text);
  await expect(openStore(gate.url)).rejects.toMatchObject({
    code: 'store_damaged',
    message: expect.stringMatching(/key_cccccccccc: There are 3 API keys/),
  });

  const whole = join(gate.folder, 'whole.json');
  writeFileSync(whole, text);
  const store = await openStore(`json:${whole}`);
  expect(await store.list('key')).toHaveLength(4);
  await store.close();
  writeFileSync(pathOf(gate), before);
  gate.store = await openStore(gate.url);
});
