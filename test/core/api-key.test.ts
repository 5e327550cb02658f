import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import {
  hashApiKey,
  INTEGRATION_TYPES,
  isWellFormedAccessToken,
  isWellFormedApiKey,
  makeAccessToken,
  makeApiKey,
} from '../../src/core/api-key.ts';

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

test('the form of a key is fixed: a checksum of CRC32 in base62 behind it', () => {
  const key = `tscn_api_${'0'.repeat(32)}`;
  expect(makeApiKey('api', (size) => new Uint8Array(size))).toBe(`${key}4aWELI`);
  expect(INTEGRATION_TYPES).toEqual(['api', 'hardware']);
});

test('an access token has the form of a key under another prefix', () => {
  const token = makeAccessToken(randomBytes);
  expect(token).toMatch(/^tscn_pat_[0-9A-Za-z]{38}$/);
  expect(isWellFormedAccessToken(token)).toBe(true);
  expect(isWellFormedApiKey(token)).toBe(false);
  const changed = token.endsWith('x') ? 'y' : 'x';
  for (const wrong of [
    `${token} `,
    ` ${token}`,
    token.slice(0, -1) + changed,
    makeApiKey('api', randomBytes),
  ])
    expect(isWellFormedAccessToken(wrong)).toBe(false);
});

/** `body` with the checksum that belongs to it, whatever it is. */
function withChecksum(body: string): string {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  const places = [5, 4, 3, 2, 1, 0].map((place) => Math.floor(crc32(body) / 62 ** place) % 62);
  return body + places.map((place) => digits[place]).join('');
}

test.each([
  ['api', isWellFormedApiKey],
  ['pat', isWellFormedAccessToken],
] as const)(
  'the right checksum does not make a key of what has another form: %s',
  (type, isGood) => {
    const body = `tscn_${type}_${'a'.repeat(32)}`;
    expect(isGood(withChecksum(body))).toBe(true);
    for (const wrong of [`x${body}`, `${body}a`, body.slice(0, -1), `${body.slice(0, -1)}-`])
      expect(isGood(withChecksum(wrong)), wrong).toBe(false);
    expect(isGood(`${withChecksum(body)}${withChecksum('')}`)).toBe(false);
  },
);

test('the hash is SHA-256 in hex', () => {
  expect(hashApiKey('abc')).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  );
});
