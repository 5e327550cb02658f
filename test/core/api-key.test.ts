import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { hashApiKey, isWellFormedApiKey, makeApiKey } from '../../src/core/api-key.ts';

test.each([
  ['api', /^tscn_api_[0-9A-Za-z]{38}$/],
  ['hardware', /^tscn_hw_[0-9A-Za-z]{38}$/],
] as const)('a key of type %s tells what it is', (type, form) => {
  const key = makeApiKey(type, randomBytes);
  expect(key).toMatch(form);
  expect(isWellFormedApiKey(key)).toBe(true);
});

test('a mistyped key is noticed without a look-up', () => {
  const key = makeApiKey('api', randomBytes);
  for (let at = 'tscn_api_'.length; at < key.length; at += 1) {
    const other = key[at] === 'x' ? 'y' : 'x';
    expect(isWellFormedApiKey(key.slice(0, at) + other + key.slice(at + 1)), `at ${at}`).toBe(
      false,
    );
  }
  expect(isWellFormedApiKey(key.slice(0, -1))).toBe(false);
  expect(isWellFormedApiKey(`${key}, ${key}`)).toBe(false);
  expect(isWellFormedApiKey(key.toUpperCase())).toBe(false);
  expect(isWellFormedApiKey(key.replace('_api_', '_hw_'))).toBe(false);
});

test('the hash is SHA-256 in hex', () => {
  expect(hashApiKey('abc')).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  );
});
