import { expect, test } from 'vitest';
import { BASE36, BASE62, logNormal, randomText, seededRandom } from '../../src/kit/random.ts';

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

const giving = (...bytes: number[]) => {
  const sizes: number[] = [];
  const random = (size: number) => {
    sizes.push(size);
    return Uint8Array.from({ length: size }, () => bytes.shift() ?? 0);
  };
  return { random, sizes };
};

test('every byte becomes the character at its place, round the alphabet', () => {
  const bytes = [0, 35, 36, 71, 9, 10];
  expect(randomText(BASE36, 6, giving(...bytes).random)).toBe('0z0z9a');
  expect(randomText(BASE62, 4, giving(10, 35, 36, 61).random)).toBe('AZaz');
});

test('bytes that would favour some characters are thrown away', () => {
  // 256 is 7 × 36 + 4: the bytes from 252 on would make the first four characters likelier.
  expect(randomText(BASE36, 3, giving(251, 252, 255, 1, 2).random)).toBe('z12');
});

test('more bytes are asked for when too many were thrown away', () => {
  const { random, sizes } = giving(...new Array<number>(10).fill(255), 3, 4);
  expect(randomText(BASE36, 2, random)).toBe('34');
  expect(sizes).toEqual([10, 10]);
});

test('the alphabets hold each character once', () => {
  expect(new Set(BASE36).size).toBe(36);
  expect(new Set(BASE62).size).toBe(62);
});
