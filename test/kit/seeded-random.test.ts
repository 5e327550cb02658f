import { expect, test } from 'vitest';
import { logNormal, seededRandom } from '../../src/kit/random.ts';

/** Saved runs name only their seed. */
test('a seed gives the numbers that it always gave', () => {
  const random = seededRandom(4711);
  expect([1, 2, 3].map(() => Math.floor(random() * 1e6))).toEqual([363_019, 725_263, 62_357]);
});

test('half of the times are below the median, and sigma says how far most are from it', () => {
  const numbers =
    (...values: number[]) =>
    () =>
      values.shift()!;
  // radius 1 and 2: the logarithm is one and two sigmas from that of the median.
  const one = 1 - Math.exp(-0.5);
  const two = 1 - Math.exp(-2);
  expect(logNormal(20, 0.5, numbers(one, 0))).toBeCloseTo(20 * Math.exp(0.5));
  expect(logNormal(20, 0.5, numbers(two, 0.5))).toBeCloseTo(20 * Math.exp(-1));
  expect(logNormal(20, 0.5, numbers(two, 0.25))).toBeCloseTo(20);
});
