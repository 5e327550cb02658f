import { expect, test } from 'vitest';
import { seededRandom } from '../../src/kit/seeded-random.ts';

/** Saved runs name only their seed. */
test('a seed gives the numbers that it always gave', () => {
  const random = seededRandom(4711);
  expect([1, 2, 3].map(() => Math.floor(random() * 1e6))).toEqual([363_019, 725_263, 62_357]);
});
