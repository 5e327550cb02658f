import { expect, test } from 'vitest';
import { derive, Passwords, WAITING_MAX } from '../../../src/features/accounts/passwords.ts';

const COST = { cost: 2 ** 12, blockSize: 8, parallelization: 1 };

test('no more than twenty strangers wait; the next is told to come back', async () => {
  const passwords = new Passwords(COST);

  const settled = await Promise.allSettled(
    Array.from({ length: 60 }, () => passwords.verify('guess', undefined, 'strangers')),
  );

  expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(2 + WAITING_MAX);
  for (const one of settled) {
    if (one.status === 'rejected') {
      expect(one.reason).toMatchObject({ code: 'busy', retryAfterSeconds: 3 });
    }
  }
  expect(await passwords.verify('later', undefined, 'strangers')).toBe(false);
});

test('who has signed in before comes before all strangers, and finds room when their queue is full', async () => {
  // The order in which hashes begin: that in which they end is up to the threads that compute them.
  const begun: string[] = [];
  const passwords = new Passwords(COST, (password, ...rest) => {
    begun.push(password);
    return derive(password, ...rest);
  });
  const record = await passwords.hash('right');
  begun.length = 0;
  const strangers = Array.from({ length: 2 + WAITING_MAX }, () =>
    passwords.verify('guess', undefined, 'strangers'),
  );

  expect(await passwords.verify('right', record, 'known')).toBe(true);
  await Promise.all(strangers);
  expect(begun.indexOf('right')).toBe(2);
  expect(begun).toHaveLength(3 + WAITING_MAX);
});
