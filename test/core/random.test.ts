import { expect, test } from 'vitest';
import { BASE36, BASE62, randomText } from '../../src/kit/random.ts';

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
