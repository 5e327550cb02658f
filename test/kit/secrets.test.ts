import { expect, test } from 'vitest';
import { makeAccessToken, makeApiKey } from '../../src/core/api-key.ts';
import { TicketscanError } from '../../src/core/errors.ts';
import { withoutKeys } from '../../src/kit/secrets.ts';
import {
  hasForbiddenCharacters,
  keptDeviceText,
  sanitizedMessage,
  sanitizeForTerminal,
} from '../../src/kit/text.ts';

const zeros = (bytes: number) => new Uint8Array(bytes);
const KEYS = [
  makeApiKey('api', zeros),
  makeApiKey('hardware', zeros),
  makeAccessToken(zeros),
  'AGE-SECRET-KEY-1ZL4GXMJT7CDX3YLGMNGZRRG6GLFWTYWWFC0KEP5JZ9JLQ5XA0KQQE5ZX7L',
];

/** Everything that moves a cursor, turns a direction or begins a line, by code point. */
const STEERING = [
  ...Array.from({ length: 0x20 }, (_, code) => code),
  ...Array.from({ length: 0x21 }, (_, code) => 0x7f + code),
  ...[0x61c, 0x200e, 0x200f, 0x2028, 0x2029],
  ...[0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069],
].map((code) => String.fromCodePoint(code));

test.each(STEERING.map((one) => [one.codePointAt(0)?.toString(16), one]))(
  'U+%s reaches no terminal',
  (_code, one) => {
    expect(sanitizeForTerminal(`a${one}b`)).not.toContain(one);
    const lines = sanitizedMessage(`a${one}b\nc`);
    expect(lines.replaceAll('\n', '')).not.toContain(one);
    expect(lines.split('\n').at(-1)).toBe('c');
  },
);

test('what a terminal does with a sequence is gone as a whole; letters of any script stay', () => {
  expect(sanitizeForTerminal('\u001b]0;pwned\u0007x\u001b[31m')).toBe('x');
  expect(sanitizeForTerminal('a\u0007b\u2028c\u202ed')).toBe('a b cd');
  expect(sanitizedMessage('a\u0007b\nc\u202ed')).toBe('a b\ncd');
  expect(sanitizeForTerminal('مرحبا नमस्ते 👩🏽‍🚒 می‌خواهم')).toBe('مرحبا नमस्ते 👩🏽‍🚒 می‌خواهم');
});

test.each(KEYS)('no message repeats %s', (key) => {
  for (const given of [
    key,
    key.slice(0, -1),
    `x${key}y`,
    `https://a/scan/hw/consume?key=${key}&a=1`,
  ]) {
    expect(withoutKeys(given)).not.toContain(key.slice(-20));
    expect(new TicketscanError('usage', `There is no "${given}".`).message).not.toContain(
      key.slice(-20),
    );
  }
  expect(withoutKeys(`${key} ${key}`)).not.toMatch(/_[0-9A-Za-z]{4}/);
});

test('what a device says of itself is kept without the signature of a ticket code, also in Base64 and cut', () => {
  for (const format of ['TS1', 'TS2']) {
    const id = 'tkt_ab12cd_0123456789abcdefghij';
    const signature = 'Zr4u7x_-QkP0aLsm31TgHw';
    const code = `${format}.${id}.${signature}`;
    const base64 = Buffer.from(code).toString('base64');
    expect(keptDeviceText(code)).toBe(`${format}.${id}.…`);
    expect(keptDeviceText(`x${code.slice(0, -3)}`)).toBe(`x${format}.${id}.…`);
    expect(keptDeviceText(base64)).toMatch(/^VFM[xy]LnRrdF9…$/);
    expect(keptDeviceText(`SN 7 ${id}`)).toBe(`SN 7 ${id}`);
  }
});

test('a name may hold joiners and marks of direction, but nothing that turns other text', () => {
  for (const name of ['می‌خواهم', '👩🏽‍🚒', 'שלום\u200f!', 'a\u200eb'])
    expect(hasForbiddenCharacters(name)).toBe(false);
  for (const name of ['a\u202eb', '\u2066a\u2069', 'a\u2028b', 'a\u0085b', 'a\tb'])
    expect(hasForbiddenCharacters(name)).toBe(true);
});
