import { expect, test } from 'vitest';
import { decodeUtf8, keptDeviceText, truncateUtf8 } from '../../src/kit/text.ts';
import { fc } from '../support/fast-check.ts';

test.each([
  ['Ticket gültig', 13, 'Ticket gülti'],
  ['Müller-Lüdenscheidt', 16, 'Müller-Lüdensc'],
  ['👍👍', 7, '👍'],
  ['abc', 16, 'abc'],
])('%s in %d bytes is %s', (text, bytes, expected) => {
  expect(truncateUtf8(text, bytes)).toBe(expected);
});

test('whatever the text: maximum number bytes, a prefix, and no broken character', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.integer({ min: 0, max: 40 }),
      (text, bytesMax) => {
        const cut = truncateUtf8(text, bytesMax);
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(bytesMax);
        expect(text.startsWith(cut)).toBe(true);
        expect(decodeUtf8(Buffer.from(cut))).toBe(cut);
      },
    ),
  );
});

test('a byte-order mark stays', () => {
  expect(decodeUtf8(Uint8Array.of(0xef, 0xbb, 0xbf, 0x41))).toBe('\ufeffA');
});

test('bytes that are no UTF-8 are no text', () => {
  expect(decodeUtf8(Uint8Array.of(0xff, 0x41))).toBeUndefined();
  expect(decodeUtf8(Uint8Array.of(0xc3))).toBeUndefined();
});

test.each([
  ['y'.repeat(64), 'y'.repeat(64)],
  ['y'.repeat(65), 'y'.repeat(64)],
  [`${'y'.repeat(63)}\u{1f600}`, `${'y'.repeat(63)}\ufffd`],
  ['\ud800', '\ufffd'],
])('of the device’s text %j the log keeps %j', (text, kept) => {
  expect(keptDeviceText(text)).toBe(kept);
});
