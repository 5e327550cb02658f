import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Decision, decide, isGranted, stateOf } from '../../src/core/decision.ts';
import { aTicket, NOW } from '../support/tickets.ts';

const HOUR = 3_600_000;

describe('the first rule that matches answers', () => {
  test('a ticket that does not exist is not found', () => {
    expect(decide(undefined, 'consume', NOW)).toEqual({ status: 'not_found' });
  });

  test('cancelled comes before every other state', () => {
    const ticket = aTicket({
      cancelledAt: NOW,
      validFrom: NOW + HOUR,
      validUntil: NOW - HOUR,
      usesConsumed: 1,
    });
    expect(decide(ticket, 'consume', NOW)).toEqual({
      status: 'rejected',
      reason: 'ticket_cancelled',
      ticket,
    });
  });

  test('not yet valid comes before exhausted', () => {
    const ticket = aTicket({ validFrom: NOW + 1, usesConsumed: 1 });
    expect(decide(ticket, 'consume', NOW)).toEqual({
      status: 'rejected',
      reason: 'not_yet_valid',
      ticket,
    });
  });

  test('expired comes before exhausted', () => {
    const ticket = aTicket({ validUntil: NOW - 1, usesConsumed: 1 });
    expect(decide(ticket, 'validate', NOW)).toEqual({
      status: 'rejected',
      reason: 'expired',
      ticket,
    });
  });

  test('exhausted for validate and consume alike', () => {
    const ticket = aTicket({ usesConsumed: 1 });
    expect(decide(ticket, 'validate', NOW)).toEqual({ status: 'exhausted', ticket });
    expect(decide(ticket, 'consume', NOW)).toEqual({ status: 'exhausted', ticket });
  });
});

describe('the state that people are shown is what a scan answers', () => {
  const SAID = { ticket_cancelled: 'cancelled', validated: 'valid' } as Record<string, string>;

  test.each([
    ['valid', { usesAllowed: 2, usesConsumed: 1 }],
    ['exhausted', { usesAllowed: 2, usesConsumed: 2 }],
    ['expired', { validUntil: NOW - 1, usesConsumed: 1 }],
    ['not_yet_valid', { validFrom: NOW + 1, usesConsumed: 1 }],
    ['cancelled', { cancelledAt: NOW, validUntil: NOW - 1, usesConsumed: 1 }],
  ] as const)('%s', (state, changes) => {
    expect(stateOf(aTicket(changes), NOW)).toBe(state);
  });

  test('at every millisecond around both ends, also when the clock is set back', () => {
    const ticket = aTicket({ validFrom: NOW, validUntil: NOW + 2 });
    const states = [-1, 0, 1, 2, 3, 2, -1].map((step) => stateOf(ticket, NOW + step));
    expect(states).toEqual([
      ...['not_yet_valid', 'valid', 'valid', 'valid', 'expired', 'valid', 'not_yet_valid'],
    ]);
  });

  test('for any ticket at any time', () => {
    const time = fc.option(fc.integer({ min: NOW - 3, max: NOW + 3 }), { nil: null });
    const changes = fc.record({
      ...{ cancelledAt: time, validFrom: time, validUntil: time },
      usesConsumed: fc.integer({ min: 0, max: 1 }),
    });
    fc.assert(
      fc.property(changes, fc.integer({ min: NOW - 4, max: NOW + 4 }), (given, now) => {
        const decision = decide(aTicket(given), 'validate', now);
        const said = decision.status === 'rejected' ? decision.reason : decision.status;
        expect(stateOf(aTicket(given), now)).toBe(SAID[said] ?? said);
      }),
    );
  });
});

describe('the window includes both ends', () => {
  test.each([
    ['its first millisecond', { validFrom: NOW }],
    ['its last millisecond', { validUntil: NOW }],
    ['a window of one millisecond', { validFrom: NOW, validUntil: NOW }],
  ])('%s is valid', (_name, window) => {
    expect(decide(aTicket(window), 'validate', NOW).status).toBe('validated');
  });
});

test.each([-1, 0, NOW])('a ticket without a window is valid at %d', (now) => {
  expect(decide(aTicket(), 'validate', now).status).toBe('validated');
});

test('the gate may open for a ticket that was looked at and good, or used, and for nothing else', () => {
  const ticket = aTicket();
  const decisions: readonly Decision[] = [
    { status: 'validated', ticket },
    { status: 'consumed', ticket, scannedAt: NOW },
    { status: 'exhausted', ticket },
    { status: 'rejected', reason: 'expired', ticket },
    { status: 'not_found' },
  ];
  expect(decisions.filter(isGranted).map(({ status }) => status)).toEqual([
    'validated',
    'consumed',
  ]);
});

test('validate changes nothing', () => {
  const ticket = aTicket({ ticketType: 'multi', usesAllowed: 10, usesConsumed: 4 });
  expect(decide(ticket, 'validate', NOW)).toEqual({ status: 'validated', ticket });
});

test('consume takes one use and says when', () => {
  const ticket = aTicket({ ticketType: 'multi', usesAllowed: 10, usesConsumed: 4 });
  expect(decide(ticket, 'consume', NOW)).toEqual({
    status: 'consumed',
    scannedAt: NOW,
    ticket: { ...ticket, usesConsumed: 5, lastConsumedAt: NOW },
  });
});

test('a permanent card is exhausted after 9999 uses, not before', () => {
  const card = { ticketType: 'multi', usesAllowed: 9999 } as const;
  expect(decide(aTicket({ ...card, usesConsumed: 9998 }), 'consume', NOW).status).toBe('consumed');
  expect(decide(aTicket({ ...card, usesConsumed: 9999 }), 'consume', NOW).status).toBe('exhausted');
});

test('for one ticket time never runs backwards, even when the wall clock does', () => {
  const ticket = aTicket({
    ticketType: 'multi',
    usesAllowed: 2,
    usesConsumed: 1,
    lastConsumedAt: NOW + HOUR,
  });
  expect(decide(ticket, 'consume', NOW)).toMatchObject({ scannedAt: NOW + HOUR });
});
