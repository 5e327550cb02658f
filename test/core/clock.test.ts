import { expect, test } from 'vitest';
import { isoTime, monthOf, msUntilNextMonth } from '../../src/core/clock.ts';

test('a quota month is the month in UTC', () => {
  expect(monthOf(Date.UTC(2026, 10, 21))).toBe(202611);
  expect(monthOf(Date.UTC(2026, 0, 1))).toBe(202601);
  expect(monthOf(Date.UTC(2026, 0, 1) - 1)).toBe(202512);
});

test('the next month begins in so many milliseconds', () => {
  const DAY_MS = 86_400_000;
  expect(msUntilNextMonth(Date.UTC(2026, 10, 30))).toBe(DAY_MS);
  expect(msUntilNextMonth(Date.UTC(2026, 11, 31, 23, 59, 59, 999))).toBe(1);
  expect(msUntilNextMonth(Date.UTC(2026, 1, 1))).toBe(28 * DAY_MS);
});

test('times on the wire are ISO 8601 in UTC, and none is null', () => {
  expect(isoTime(0)).toBe('1970-01-01T00:00:00.000Z');
  expect(isoTime(null)).toBeNull();
});
