import { expect, test } from 'vitest';
import * as limits from '../../src/core/limits.ts';
import { LOGO_BYTES_MAX } from '../../src/core/limits.ts';
import { NO_SHEET_SETTINGS, peopleInside } from '../../src/core/records.ts';

test('the limits are those of section 8 and of the wire', () => {
  expect(limits.DEFAULT_LIMITS).toEqual({
    ratePerSecond: 50,
    burst: 100,
    quotaPerMonth: 500_000,
    keysMax: 3,
  });
  expect(limits.BODY_BYTES_MAX).toBe(8192);
  expect(limits.IDEMPOTENCY_MS).toBe(86_400_000);
});

test('two rates are the same when a bucket holds and regains as much', () => {
  const rate = { ratePerSecond: 50, burst: 100 };
  expect(limits.isSameRate(rate, { ...limits.DEFAULT_LIMITS })).toBe(true);
  expect(limits.isSameRate(rate, { ...rate, burst: 99 })).toBe(false);
  expect(limits.isSameRate(rate, { ...rate, ratePerSecond: 49 })).toBe(false);
});

test('the times that things hold', () => {
  expect(limits.ROTATION_OVERLAP_MS).toBe(86_400_000);
  expect(limits.ROTATION_OVERLAP_MS_MAX).toBe(7_776_000_000);
});

test('a logo may have 100 KiB, and nothing is printed unless it is said', () => {
  expect(LOGO_BYTES_MAX).toBe(102_400);
  expect(NO_SHEET_SETTINGS).toEqual({ language: null, lines: [], logo: null });
});

test('never fewer than nobody is inside', () => {
  expect(peopleInside({ entered: 3, exited: 1 })).toBe(2);
  expect(peopleInside({ entered: 1, exited: 3 })).toBe(0);
});
