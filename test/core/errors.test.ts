import { expect, test } from 'vitest';
import { messageOf, TicketscanError } from '../../src/core/errors.ts';

test('an expected failure has a name, a code, a message and its cause', () => {
  const cause = new Error('deep down');
  const error = new TicketscanError('store_busy', 'Try again.', { cause });
  expect(error).toMatchObject({ name: 'TicketscanError', code: 'store_busy', cause });
  expect(messageOf(error)).toBe('Try again.');
});

test('whatever is thrown has a message', () => {
  expect(messageOf('just a text')).toBe('just a text');
  expect(messageOf({ message: 'no error' })).toBe('[object Object]');
});
