import { expect, test } from 'vitest';
import * as limits from '../../src/core/limits.ts';

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
