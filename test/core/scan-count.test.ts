import { expect, test } from 'vitest';
import { countedBy } from '../../src/core/scan-count.ts';
import { NOW } from '../support/tickets.ts';

const denial = {
  at: NOW,
  keyId: 'key_1',
  serial: null,
  operation: 'consume',
  status: 'not_found',
  reason: null,
  usesConsumed: null,
} as const;

test('a scan of an event that the organisation does not have is one of no event', () => {
  const ticketId = 'tkt_abcdef_0123456789abcdefghij';
  expect(countedBy({ ...denial, ticketId }, undefined, false)).toMatchObject({ eventId: '' });
});

test.each([
  ['tkt_abcdef_0123456789abcdefghij', 'abcdef'],
  ['tkt_abcdef_', 'abcdef'],
  ['tkt_abcdef', ''],
  ['tkt_', ''],
  ['evt_abcdef_0123456789', ''],
  ['nothing', ''],
  [null, ''],
])('a scan of %s is one of event %j', (ticketId, eventId) => {
  expect(countedBy({ ...denial, ticketId }, undefined, true)).toMatchObject({
    eventId,
    kind: '',
    outcome: 'not_found',
  });
});
