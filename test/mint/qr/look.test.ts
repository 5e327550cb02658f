import { expect, test } from 'vitest';
import { type QrOptions, qrLook } from '../../../src/tickets/codes/look.ts';
import { renderQr } from '../../../src/tickets/codes/render-qr.ts';
import { readPng } from '../../../src/tickets/reading/bitmaps.ts';
import { findCodes } from '../../../src/tickets/reading/find-codes.ts';

const refused: [string, QrOptions, string][] = [
  ['an unknown error correction', { errorCorrection: 'ZZ' }, 'L, M, Q or H'],
  ['no scale', { scale: 0 }, 'from 2 to 64'],
  ['half a pixel', { scale: 2.5 }, 'whole number'],
  ['a scale that is no number', { scale: Number.NaN }, 'whole number'],
  ['a negative margin', { margin: -1 }, 'quiet zone'],
  ['a quiet zone that is too small', { margin: 3 }, 'quiet zone'],
  ['a colour with transparency', { dark: '#00000080' }, 'without transparency'],
  ['a colour by its name', { dark: 'black' }, 'such as #000000'],
  ['light on dark', { dark: '#ffffff', light: '#000000' }, 'Swap'],
  ['grey on white', { dark: '#909090' }, 'contrast of 44 %'],
  ['red, which red light cannot see', { dark: '#c00000' }, 'red light'],
];

test.each(refused)('%s is refused, with the reason', (_, options, reason) => {
  expect(() => qrLook(options)).toThrow(reason);
});

const accepted: [QrOptions][] = [
  [{ dark: '#707070' }],
  [{ dark: '#003366', light: '#ffe' }],
  [{ dark: '#000', light: '#909090' }],
  [{ scale: 2 }],
  [{ margin: 10, errorCorrection: 'h' }],
];

test.each(accepted)('what is accepted is read by both decoders: %o', async (options) => {
  const png = renderQr('TS1.tkt_abc123_0123456789abcdefghij.abc', { ...options, format: 'png' });

  const [found] = await findCodes(readPng(png as Buffer<ArrayBuffer>));

  expect(found?.decoders).toEqual(['jsqr', 'zxing']);
});
