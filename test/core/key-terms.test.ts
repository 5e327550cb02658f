import { expect, test } from 'vitest';
import { expiresSoon } from '../../src/core/key-terms.ts';

const NOW = 1_000_000_000_000;
const DAYS_14_MS = 14 * 24 * 60 * 60 * 1000;

test.each([
  ['soon', { active: true, expiresAt: NOW + DAYS_14_MS }, true],
  ['in a moment', { active: true, expiresAt: NOW + 1 }, true],
  ['later', { active: true, expiresAt: NOW + DAYS_14_MS + 1 }, false],
  ['now', { active: true, expiresAt: NOW }, false],
  ['never', { active: true }, false],
  ['soon, and is disabled', { active: false, expiresAt: NOW + 1 }, false],
])('a key that expires %s is warned of: %o', (_name, key, warned) => {
  expect(expiresSoon(key, NOW)).toBe(warned);
});
