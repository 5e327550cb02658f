import { expect, test } from 'vitest';
import { editedTicket } from '../../src/core/ticket-changes.ts';
import { aTicket } from '../support/tickets.ts';

test('fewer uses than were taken are a conflict that says how many', () => {
  const ticket = aTicket({ ticketType: 'multi', usesAllowed: 5, usesConsumed: 3 });
  expect(editedTicket(ticket, { usesAllowed: 3 })).toEqual({ ...ticket, usesAllowed: 3 });
  expect(() => editedTicket(ticket, { usesAllowed: 2 })).toThrow(
    expect.objectContaining({
      code: 'conflict',
      message: `${ticket.id}: 3 uses are consumed already. The number of uses cannot be lower.`,
      reason: 'uses_below_consumed',
      values: { consumed: 3 },
    }),
  );
});

test('a window that was impossible before stays when something else is edited', () => {
  const ticket = aTicket({ validFrom: 2, validUntil: 1 });
  const holder = { firstName: 'Ada', lastName: 'Lovelace' };
  expect(editedTicket(ticket, { holder })).toEqual({ ...ticket, holder });
  expect(() => editedTicket(ticket, { validFrom: 3 })).toThrow();
});
