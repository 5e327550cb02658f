import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { endOfTicket } from '../../src/core/end-of-ticket.ts';
import { isNearItsEnd } from '../../src/core/limits.ts';
import {
  boundsFrom,
  checkWindow,
  holderFrom,
  kindOf,
  TICKET_KINDS,
  UNUSED,
  usesAllowedFor,
  windowFrom,
} from '../../src/core/ticket.ts';
import { newTicket } from '../../src/core/ticket-changes.ts';
import {
  eventOfTicketId,
  isBatchId,
  isEventId,
  makeBatchId,
  makeEventId,
  makeTicketId,
  ticketIdIn,
} from '../../src/core/ticket-id.ts';
import { aTicket, NOW } from '../support/tickets.ts';

test.each([
  ['single', undefined, 1],
  ['multi', 2, 2],
  ['multi', 100, 100],
  ['permanent', undefined, 9999],
] as const)('a %s ticket with %s uses asked for has %d', (kind, uses, expected) => {
  expect(usesAllowedFor(kind, uses)).toBe(expected);
});

test.each([
  ['single', 2, 'A single ticket has 1 use.', 'uses_fixed'],
  ['multi', undefined, 'A multi-use card needs its number of uses, 2 to 100.', 'uses_missing'],
  ['multi', 1, 'A multi-use card has 2 to 100 uses.', 'uses_range'],
  ['multi', 101, 'A multi-use card has 2 to 100 uses.', 'uses_range'],
  ['multi', 2.5, 'A multi-use card has 2 to 100 uses.', 'uses_range'],
  ['multi', Number.NaN, 'A multi-use card has 2 to 100 uses.', 'uses_range'],
  ['permanent', 100, 'A permanent card has 9999 uses.', 'uses_fixed'],
] as const)('a %s ticket cannot have %s uses', (kind, uses, message, reason) => {
  const allowed = kind === 'single' ? 1 : 9999;
  const values = kind === 'multi' ? { min: 2, max: 100 } : { kind, allowed };
  expect(() => usesAllowedFor(kind, uses)).toThrow(
    expect.objectContaining({ code: 'usage', message, reason, values }),
  );
});

test.each([
  ['single', 1],
  ['permanent', 9999],
] as const)('a %s ticket may be asked for with the %d uses that it has', (kind, uses) => {
  expect(usesAllowedFor(kind, uses)).toBe(uses);
});

test('what a ticket is follows from its type and its uses', () => {
  expect(TICKET_KINDS).toEqual(['single', 'multi', 'permanent']);
  expect(kindOf({ ticketType: 'single', usesAllowed: 1 })).toBe('single');
  expect(kindOf({ ticketType: 'multi', usesAllowed: 100 })).toBe('multi');
  expect(kindOf({ ticketType: 'multi', usesAllowed: 9999 })).toBe('permanent');
});

test('the event is part of the identifier', () => {
  const eventId = makeEventId(randomBytes);
  expect(eventId).toMatch(/^[a-z0-9]{6}$/);
  expect(eventOfTicketId(makeTicketId(eventId, randomBytes))).toBe(eventId);
});

test.each([
  'tkt_abc_0123456789abcdefghij',
  'tkt_abcdef_short',
  'TKT_abcdef_0123456789abcdefghij',
  'xtkt_abcdef_0123456789abcdefghij',
  'tkt_abcdef_0123456789abcdefghij_',
  `tkt_abcdefghijk_0123456789abcdefghij`,
  `tkt_abcdef_${'0'.repeat(41)}`,
  `tkt_abcdef_${'0'.repeat(19)}`,
  'x',
])('%s is no ticket identifier', (text) => {
  expect(eventOfTicketId(text)).toBeUndefined();
});

test('a ticket is personalised when it has a name', () => {
  expect(holderFrom('Ada', undefined)).toEqual({ firstName: 'Ada', lastName: '' });
  expect(holderFrom(undefined, undefined)).toBeNull();
  expect(holderFrom(undefined, 'Lovelace')).toEqual({ firstName: '', lastName: 'Lovelace' });
  expect(holderFrom('x'.repeat(200), undefined)?.firstName).toHaveLength(200);
});

test.each([
  ['a control character', 'a\u0007b', ''],
  ['a control character in the last name', '', 'a\u0007b'],
  ['201 characters', 'x'.repeat(201), ''],
  ['half a character', '\ud83d', ''],
  ['an override of direction', 'a\u202eb', ''],
])('a name with %s is refused', (_name, firstName, lastName) => {
  const message = expect.stringMatching(/^A name has at most 200 characters, no control/);
  expect(() => holderFrom(firstName, lastName)).toThrow(
    expect.objectContaining({
      code: 'usage',
      message,
      reason: 'holder_name',
      values: { max: 200 },
    }),
  );
});

test('a window that ends before it begins is refused', () => {
  const options = {
    eventId: 'abcdef',
    kind: 'single',
    validFrom: NOW,
    validUntil: NOW - 1,
  } as const;
  const message = 'The validity ends before it begins: the ticket would never be valid.';
  expect(() => newTicket(options, NOW, randomBytes)).toThrow(
    expect.objectContaining({ code: 'usage', message, reason: 'window_reversed' }),
  );
});

test('a window of one moment, and one that is open at an end, is none that ends before it begins', () => {
  for (const [from, until] of [
    [NOW, NOW],
    [NOW, null],
    [null, 1],
    [1, null],
  ] as const) {
    expect(() => checkWindow({ validFrom: from, validUntil: until })).not.toThrow();
  }
});

test.each([
  [-1, null, 'valid-from'],
  [null, Date.UTC(9999, 0, 1), 'valid-until'],
  [Number.NaN, null, 'valid-from'],
])('a window from %s until %s is refused: years are 1970 to 9998', (from, until, bound) => {
  const message = expect.stringMatching(`^${bound}: .*1970 to 9998`);
  expect(() => checkWindow({ validFrom: from, validUntil: until })).toThrow(
    expect.objectContaining({ code: 'usage', message, reason: 'time_range' }),
  );
});

test('a bound that is not given is none in a new window, and unchanged in a change', () => {
  const timeOf = (text: string, name: string) =>
    text.length + { validFrom: 0, validUntil: 100 }[name]!;
  expect(windowFrom({ validFrom: 'a', validUntil: 'bb' }, timeOf)).toEqual({
    validFrom: 1,
    validUntil: 102,
  });
  expect(windowFrom({ validFrom: null }, timeOf)).toEqual({ validFrom: null, validUntil: null });
  expect(boundsFrom({ validFrom: 'a', validUntil: 'bb' }, timeOf)).toEqual({
    validFrom: 1,
    validUntil: 102,
  });
  expect(boundsFrom({ validFrom: null }, timeOf)).toStrictEqual({ validFrom: null });
  expect(boundsFrom({ validUntil: null }, timeOf)).toStrictEqual({ validUntil: null });
});

test.each([
  [null, {}],
  [null, { usesAllowed: 2, usesConsumed: 1, lastConsumedAt: 7 }],
  [7, { usesAllowed: 2, usesConsumed: 2, lastConsumedAt: 7 }],
  [7, { usesAllowed: 2, usesConsumed: 3, lastConsumedAt: 7 }],
  [5, { usesConsumed: 1, lastConsumedAt: 7, cancelledAt: 5, validUntil: 6 }],
  [6, { cancelledAt: 9, validUntil: 6 }],
])('the end is %s of %j', (end, changes) => {
  expect(endOfTicket(aTicket(changes))).toBe(end);
});

test('a printed identifier is read in groups and in any letter case', () => {
  const id = 'tkt_abcdef_0123456789abcdefghij';
  expect(ticketIdIn(' TKT_ABCDEF_ 01234 56789\nabcde fghij ')).toBe(id);
  expect(ticketIdIn(`${id}!`)).toBeUndefined();
  expect(makeBatchId(randomBytes)).toMatch(/^bat_[a-z0-9]{10}$/);
  expect(isBatchId('bat_0123456789')).toBe(true);
  expect(['bat_012345678', 'xbat_0123456789', 'bat_01234567890'].some(isBatchId)).toBe(false);
});

test('a new ticket has what was asked for', () => {
  const options = {
    eventId: 'abcdef',
    kind: 'multi',
    uses: 3,
    validFrom: NOW,
    validUntil: NOW + 1,
  } as const;
  expect(newTicket({ ...options, lastName: 'Lovelace' }, 7, randomBytes)).toEqual({
    id: expect.stringMatching(/^tkt_abcdef_[a-z0-9]{20}$/),
    eventId: 'abcdef',
    ticketType: 'multi',
    usesAllowed: 3,
    holder: { firstName: '', lastName: 'Lovelace' },
    validFrom: NOW,
    validUntil: NOW + 1,
    createdAt: 7,
  });
  const plain = newTicket({ eventId: 'abcdef', kind: 'single' }, NOW, randomBytes);
  expect(plain).toMatchObject({ ticketType: 'single', validFrom: null, validUntil: null });
});

test.each([
  ['abcdef', true],
  ['0123456789', true],
  ['abcde', false],
  ['abcdefghijk', false],
  ['Abcdef', false],
  ['abcdef!', false],
  ['!abcdef', false],
])('whether %s can be an event: %s', (text, expected) => {
  expect(isEventId(text)).toBe(expected);
});

test('a new ticket has no history', () => {
  expect(UNUSED).toEqual({ usesConsumed: 0, lastConsumedAt: null, cancelledAt: null });
});

test('a permanent card is a multi ticket on the wire', () => {
  const card = newTicket({ eventId: 'abcdef', kind: 'permanent' }, NOW, randomBytes);
  expect(card).toMatchObject({ ticketType: 'multi', usesAllowed: 9999 });
  expect(kindOf(card)).toBe('permanent');
});

test.each([
  ['permanent', 8999, false],
  ['permanent', 9000, true],
  ['permanent', 9999, true],
  ['multi', 100, false],
] as const)('a %s card with %d uses comes to its end: %s', (kind, usesConsumed, expected) => {
  const usesAllowed = usesAllowedFor(kind, kind === 'multi' ? 100 : undefined);
  expect(isNearItsEnd({ usesAllowed, usesConsumed })).toBe(expected);
  expect(isNearItsEnd({ usesAllowed: 100, usesConsumed })).toBe(false);
});
