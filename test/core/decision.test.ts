import { expect, test } from 'vitest';
import { type Decision, decide, isGranted, stateOf } from '../../src/core/decision.ts';
import type { Ticket } from '../../src/core/ticket.ts';
import { fc } from '../support/fast-check.ts';
import { aTicket, NOW } from '../support/tickets.ts';

const HOUR = 3_600_000;
const multi = { ticketType: 'multi', usesAllowed: 10, usesConsumed: 4 } as const;
const permanent = { ticketType: 'multi', usesAllowed: 9999 } as const;
const everything = { cancelledAt: NOW, validFrom: NOW + HOUR, validUntil: NOW - HOUR };

const outcomeOf = (decision: Decision) =>
  decision.status === 'rejected' ? decision.reason : decision.status;

/** The first rule that matches answers; a window includes both its ends. */
test.each<[string, Partial<Ticket>, string]>([
  ['cancelled, whatever else', { ...everything, usesConsumed: 1 }, 'ticket_cancelled'],
  ['not yet valid, and used up', { validFrom: NOW + 1, usesConsumed: 1 }, 'not_yet_valid'],
  ['expired, and used up', { validUntil: NOW - 1, usesConsumed: 1 }, 'expired'],
  ['used up', { usesConsumed: 1 }, 'exhausted'],
  ['a permanent card after 9999 uses', { ...permanent, usesConsumed: 9999 }, 'exhausted'],
  ['a permanent card after 9998 uses', { ...permanent, usesConsumed: 9998 }, 'valid'],
  ['with uses left', multi, 'valid'],
  ['in its first millisecond', { validFrom: NOW }, 'valid'],
  ['in its last millisecond', { validUntil: NOW }, 'valid'],
  ['in its only millisecond', { validFrom: NOW, validUntil: NOW }, 'valid'],
  ['without a window', {}, 'valid'],
])('a ticket %s', (_, changes, outcome) => {
  const ticket = aTicket(changes);
  const said = (['validate', 'consume'] as const).map((operation) =>
    outcomeOf(decide(ticket, operation, NOW)),
  );
  expect(said).toEqual(outcome === 'valid' ? ['validated', 'consumed'] : [outcome, outcome]);
  expect(stateOf(ticket, NOW)).toBe(outcome === 'ticket_cancelled' ? 'cancelled' : outcome);
});

test('a ticket without a window is valid at any time, and one that does not exist is not found', () => {
  for (const now of [-1, 0, NOW]) expect(stateOf(aTicket(), now)).toBe('valid');
  expect(decide(undefined, 'consume', NOW)).toEqual({ status: 'not_found' });
});

test('the state that people are shown is what a scan answers, for any ticket at any time', () => {
  const time = fc.option(fc.integer({ min: NOW - 3, max: NOW + 3 }), { nil: null });
  const changes = fc.record({
    cancelledAt: time,
    validFrom: time,
    validUntil: time,
    usesConsumed: fc.integer({ min: 0, max: 1 }),
  });
  const states: Record<string, string> = { ticket_cancelled: 'cancelled', validated: 'valid' };
  fc.assert(
    fc.property(changes, fc.integer({ min: NOW - 4, max: NOW + 4 }), (given, now) => {
      const ticket = aTicket(given);
      const said = outcomeOf(decide(ticket, 'validate', now));
      expect(stateOf(ticket, now)).toBe(states[said] ?? said);
      const isIn = now >= (given.validFrom ?? now) && now <= (given.validUntil ?? now);
      expect(said === 'validated').toBe(
        given.cancelledAt === null && isIn && given.usesConsumed === 0,
      );
    }),
  );
});

test('a decision has the ticket as it is after the scan: validate changes nothing, consume takes one use', () => {
  const ticket = aTicket(multi);
  expect(decide(ticket, 'validate', NOW)).toEqual({ status: 'validated', ticket });
  expect(decide(ticket, 'consume', NOW)).toEqual({
    status: 'consumed',
    scannedAt: NOW,
    ticket: { ...ticket, usesConsumed: 5, lastConsumedAt: NOW },
  });
  const expired = aTicket({ validUntil: NOW - 1 });
  expect(decide(expired, 'consume', NOW)).toEqual({
    status: 'rejected',
    reason: 'expired',
    ticket: expired,
  });
  const used = aTicket({ usesConsumed: 1 });
  expect(decide(used, 'consume', NOW)).toEqual({ status: 'exhausted', ticket: used });
});

test('for one ticket time never runs backwards, even when the wall clock does', () => {
  const ticket = aTicket({ ...multi, lastConsumedAt: NOW + HOUR });
  expect(decide(ticket, 'consume', NOW)).toMatchObject({ scannedAt: NOW + HOUR });
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
  const granted = decisions.filter(isGranted).map(({ status }) => status);
  expect(granted).toEqual(['validated', 'consumed']);
});
