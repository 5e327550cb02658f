import { expect, test } from 'vitest';
import { TokenBucket } from '../../src/core/limits.ts';

function takeMany(bucket: TokenBucket, times: number, nowMs: number): number {
  return Array.from({ length: times }, () => bucket.take(nowMs)).filter((wait) => wait === 0)
    .length;
}

test('the burst is granted at once, and no more', () => {
  expect(takeMany(new TokenBucket({ ratePerSecond: 50, burst: 100 }, 0), 150, 0)).toBe(100);
});

test('an empty bucket regains its rate, second by second', () => {
  const bucket = new TokenBucket({ ratePerSecond: 50, burst: 100 }, 0);
  takeMany(bucket, 100, 0);
  expect(takeMany(bucket, 100, 1000)).toBe(50);
  expect(takeMany(bucket, 100, 1500)).toBe(25);
});

test('it never holds more than its burst', () => {
  const bucket = new TokenBucket({ ratePerSecond: 50, burst: 100 }, 0);
  expect(takeMany(bucket, 1000, 3_600_000)).toBe(100);
});

test('time that has passed before counts from its start', () => {
  const bucket = new TokenBucket({ ratePerSecond: 50, burst: 100 }, 5000);
  takeMany(bucket, 100, 5000);
  expect(takeMany(bucket, 100, 5100)).toBe(5);
});

test('it says how long to wait for the next token', () => {
  const bucket = new TokenBucket({ ratePerSecond: 50, burst: 1 }, 0);
  bucket.take(0);
  expect(bucket.take(5)).toBeCloseTo(15);
  expect(bucket.take(20)).toBe(0);
});
