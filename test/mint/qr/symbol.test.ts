import fc from 'fast-check';
import jsqr from 'jsqr';
import { create } from 'qrcode';
import { expect, test } from 'vitest';
import { qrLook } from '../../../src/tickets/codes/look.ts';
import { toPng } from '../../../src/tickets/codes/png.ts';
import { ERROR_CORRECTIONS, encodeQr } from '../../../src/tickets/codes/symbol.ts';
import { readPng } from '../../../src/tickets/reading/bitmaps.ts';
import { findCodes } from '../../../src/tickets/reading/find-codes.ts';

const levels = fc.constantFrom(...ERROR_CORRECTIONS);
const byteSegment = (text: string) => [
  { mode: 'byte' as const, data: new TextEncoder().encode(text) },
];
/** The lower-case first letter keeps a text out of the compact modes, so that both sides encode bytes. */
const texts = fc
  .string({ minLength: 1, maxLength: 300, unit: 'grapheme' })
  .map((text) => `t${text}`);

test('every symbol equals the one that the qrcode package draws with its own, slower choice of mask', () => {
  fc.assert(
    fc.property(texts, levels, (text, level) => {
      const ours = encodeQr(text, level);
      const theirs = create(byteSegment(text), {
        errorCorrectionLevel: level,
        version: ours.version,
      });

      expect(ours.mask).toBe(theirs.maskPattern);
      expect(Buffer.from(ours.modules).equals(Buffer.from(theirs.modules.data))).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test.each(ERROR_CORRECTIONS)('both decoders read every version at level %s', async (level) => {
  const seen = new Set<number>();
  for (let length = 8; length < 1200; length += 11) {
    const text = `TS1.${'aB3-_'.repeat(240)}`.slice(0, length);
    const symbol = encodeQr(text, level);
    if (seen.has(symbol.version)) continue;
    seen.add(symbol.version);
    const found = await findCodes(
      readPng(toPng(symbol, qrLook({ scale: 3 })) as Buffer<ArrayBuffer>),
    );
    expect({ version: symbol.version, found }).toEqual({
      version: symbol.version,
      found: [{ text, decoders: ['jsqr', 'zxing'] }],
    });
  }
  expect(seen.size).toBeGreaterThan(20);
});

test('version 23 at level L is stepped over, because jsqr reads none of those', () => {
  const text = 'a'.repeat(1080);
  const broken = create(byteSegment(text), { errorCorrectionLevel: 'L' });
  const { size, data } = broken.modules;
  const drawn = toPng(
    { size, modules: data, version: broken.version, errorCorrection: 'L', mask: 0 },
    qrLook({ scale: 4 }),
  );
  const picture = readPng(drawn as Buffer<ArrayBuffer>);

  expect(broken.version).toBe(23);
  expect(jsqr.default(picture.data, picture.width, picture.height)).toBeNull();
  expect(encodeQr(text, 'L').version).toBe(24);
});

test('an empty text and one that no code holds are refused', () => {
  expect(() => encodeQr('', 'M')).toThrow('empty text');
  expect(() => encodeQr('a'.repeat(3000), 'M')).toThrow('too long');
});
