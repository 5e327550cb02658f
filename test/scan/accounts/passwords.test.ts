import { expect, test } from 'vitest';
import { Passwords, WAITING_MAX } from '../../../src/features/accounts/passwords.ts';

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
  const passwords = new Passwords(COST);
  const record = await passwords.hash('right');
  const order: string[] = [];
  const strangers = Array.from({ length: 2 + WAITING_MAX }, () =>
    passwords.verify('guess', undefined, 'strangers').then(() => order.push('stranger')),
  );

  const known = passwords.verify('right', record, 'known').then((isRight) => {
    order.push('known');
    return isRight;
  });

  expect(await known).toBe(true);
  expect(order.indexOf('known')).toBeLessThanOrEqual(3);
  await Promise.all(strangers);
});
