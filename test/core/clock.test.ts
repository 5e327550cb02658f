import { expect, test } from 'vitest';
import {
  GIVEN_TIMES,
  isAhead,
  isGivenTime,
  isoTime,
  minuteOf,
  monthOf,
  msUntilNextMonth,
} from '../../src/core/clock.ts';

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

test('a time beyond those that a date can show is the last or the first of them', () => {
  expect(isoTime(1e16)).toBe('+275760-09-13T00:00:00.000Z');
  expect(isoTime(-1e16)).toBe('-271821-04-20T00:00:00.000Z');
  expect(isoTime(1)).toBe('1970-01-01T00:00:00.001Z');
  expect(isoTime(1)).toBe('1970-01-01T00:00:00.001Z');
});

test('a time may be given from 1970 to the end of 9998', () => {
  const end = Date.UTC(9999, 0, 1);
  expect([-1, 0, end - 1, end, Number.NaN].map(isGivenTime)).toEqual([
    false,
    true,
    true,
    false,
    false,
  ]);
  expect(GIVEN_TIMES).toMatch(/1970 to 9998/);
});

test('another clock may be five minutes ahead', () => {
  expect(isAhead(300_000, 0)).toBe(false);
  expect(isAhead(300_001, 0)).toBe(true);
});

test('a minute begins with its first millisecond', () => {
  expect([0, 59_999, 60_000, -1].map(minuteOf)).toEqual([0, 0, 60_000, -60_000]);
});
