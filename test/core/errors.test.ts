import { expect, test } from 'vitest';
import { explanationOf, messageOf, RetryLater, TicketscanError } from '../../src/core/errors.ts';

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

test('no error repeats a key, neither in its message nor in its values', () => {
  const key = 'tscn_api_0123456789abcdef';
  const values = { name: key, max: 3 };
  const error = new TicketscanError('usage', `There is no ${key}.`, {
    reason: 'unknown_time_zone',
    values,
  });
  expect(error.message).toBe('There is no tscn_api_….');
  expect(explanationOf(error)).toEqual({
    reason: 'unknown_time_zone',
    values: { name: 'tscn_api_…', max: 3 },
  });
  expect(explanationOf(new TicketscanError('usage', 'x'))).toEqual({});
  expect(new TicketscanError('usage', 'x').values).toEqual({});
});

test('who comes too soon is told why, and when to try again', () => {
  expect(new RetryLater('busy', 2)).toMatchObject({
    code: 'busy',
    message: 'The server is busy. Try again in 2 seconds.',
    retryAfterSeconds: 2,
  });
  expect(new RetryLater('too_many_attempts', 9).message).toBe(
    'Too many attempts. Try again in 9 seconds.',
  );
});
