import { create } from 'qrcode';
import { expect, test } from 'vitest';
import { readPng } from '../../../src/kit/pictures/png.ts';
import { toPng } from '../../../src/tickets/codes/render-qr.ts';
import { encodeQr } from '../../../src/tickets/codes/symbol.ts';
import { findCodes } from '../../../src/tickets/reading/find-codes.ts';
import { fc } from '../../support/fast-check.ts';

const byteSegment = (text: string) => [
  { mode: 'byte' as const, data: new TextEncoder().encode(text) },
];
/** The lower-case first letter keeps a text out of the compact modes, so that both sides encode bytes. */
const texts = fc
  .string({ minLength: 1, maxLength: 300, unit: 'grapheme' })
  .map((text) => `t${text}`);

test('every symbol equals the one that the qrcode package draws with its own, slower choice of mask', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const ours = encodeQr(text);
      const theirs = create(byteSegment(text), {
        errorCorrectionLevel: 'M',
        version: ours.version,
      });

      expect(ours.mask).toBe(theirs.maskPattern);
      expect(Buffer.from(ours.modules).equals(Buffer.from(theirs.modules.data))).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test('both decoders read every version', async () => {
  const seen = new Set<number>();
  for (let length = 8; length < 1200; length += 11) {
    const text = `TS1.${'aB3-_'.repeat(240)}`.slice(0, length);
    const symbol = encodeQr(text);
    if (seen.has(symbol.version)) continue;
    seen.add(symbol.version);
    const found = await findCodes(readPng(toPng(symbol, 3) as Buffer<ArrayBuffer>));
    expect({ version: symbol.version, found }).toEqual({
      version: symbol.version,
      found: [{ text, decoders: ['jsqr', 'zxing'] }],
    });
  }
  expect(seen.size).toBeGreaterThan(20);
});

test('an empty text and one that no code holds are refused', () => {
  expect(() => encodeQr('')).toThrow('empty text');
  expect(() => encodeQr('a'.repeat(3000))).toThrow('too long');
});
