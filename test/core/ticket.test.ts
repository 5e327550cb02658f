import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { newTicket } from '../../src/core/new-ticket.ts';
import { holderFrom, kindOf, usesAllowedFor } from '../../src/core/ticket.ts';
import { eventOfTicketId, makeEventId, makeTicketId } from '../../src/core/ticket-id.ts';
import { NOW } from '../support/tickets.ts';

test.each([
  ['single', undefined, 1],
  ['multi', 2, 2],
  ['multi', 100, 100],
  ['permanent', undefined, 9999],
] as const)('a %s ticket with %s uses asked for has %d', (kind, uses, expected) => {
  expect(usesAllowedFor(kind, uses)).toBe(expected);
});

test.each([
  ['single', 2],
  ['multi', undefined],
  ['multi', 1],
  ['multi', 101],
  ['multi', 2.5],
  ['multi', Number.NaN],
  ['permanent', 100],
] as const)('a %s ticket cannot have %s uses', (kind, uses) => {
  expect(() => usesAllowedFor(kind, uses)).toThrow(/uses/);
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
  'x',
])('%s is no ticket identifier', (text) => {
  expect(eventOfTicketId(text)).toBeUndefined();
});

test('a ticket is personalised when it has a name', () => {
  expect(holderFrom('Ada', undefined)).toEqual({ firstName: 'Ada', lastName: '' });
  expect(holderFrom(undefined, undefined)).toBeNull();
  expect(() => holderFrom('a\u0007b', '')).toThrow(/control/);
  expect(() => holderFrom('x'.repeat(201), '')).toThrow(/200/);
});

test('a window that ends before it begins is refused', () => {
  const wish = { eventId: 'abcdef', kind: 'single', validFrom: NOW, validUntil: NOW - 1 } as const;
  expect(() => newTicket(wish, NOW, randomBytes)).toThrow(/valid-until/);
});

test('a permanent card is a multi ticket on the wire', () => {
  const card = newTicket({ eventId: 'abcdef', kind: 'permanent' }, NOW, randomBytes);
  expect(card).toMatchObject({ ticketType: 'multi', usesAllowed: 9999 });
  expect(kindOf(card)).toBe('permanent');
});
