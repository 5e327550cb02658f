import { expect, test } from 'vitest';
import { erasedDetails } from '../../src/core/erased-details.ts';

test('names of holders are erased wherever they are; what is null or another text stays', () => {
  const details = {
    holder: { firstName: 'Ada', lastName: 'Lovelace' },
    before: [{ firstName: 'Ada', holder: null, uses: 1 }, null, 'Ada'],
    after: { lastName: 'Byron', event: { name: 'Pool' } },
    reason: 'she asked for it',
  };
  expect(erasedDetails({ act: 'ticket.edit', details })).toEqual({
    holder: 'erased',
    before: [{ firstName: 'erased', holder: null, uses: 1 }, null, 'Ada'],
    after: { lastName: 'erased', event: { name: 'Pool' } },
    reason: 'she asked for it',
  });
});

test('the free text of an undo is erased too: it may name the guest', () => {
  const details = { reason: 'Ada went home', sequence: 7 };
  expect(erasedDetails({ act: 'ticket.undo', details })).toEqual({ reason: 'erased', sequence: 7 });
});
