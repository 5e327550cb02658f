import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import encodeWebp, { init } from '@jsquash/webp/encode.js';
import * as jpeg from 'jpeg-js';
import { PNG } from 'pngjs';
import qrcode from 'qrcode';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reduce } from '../../src/kit/pictures/picture.ts';
import { readImage } from '../../src/simulate/cards/read-image.ts';
import { readPages } from '../../src/tickets/reading/find-codes.ts';
import { readLogo } from '../../src/tickets/sheets/logo.ts';

const CODE = 'TS1.tkt_abc123_0123456789abcdefghij.AAECAwQFBgcICQoLDA0ODw';
const folder = mkdtempSync(join(tmpdir(), 'ticketscan-formats-'));
afterAll(() => rmSync(folder, { recursive: true }));

const DARK_ON_LIGHT = { dark: '#000000ff', light: '#ffffffff' };
const WHITE_ON_CLEAR = { dark: '#ffffffff', light: '#00000000' };
const DARK_ON_CLEAR = { dark: '#000000ff', light: '#00000000' };

/** A code of those colours. @param scale pixels of a module */
async function code(color: typeof DARK_ON_LIGHT, scale = 6): Promise<PNG> {
  return PNG.sync.read(await qrcode.toBuffer(CODE, { color, scale }));
}

beforeAll(async () => {
  const wasm = createRequire(import.meta.url).resolve('@jsquash/webp/codec/enc/webp_enc.wasm');
  await init({ wasmBinary: readFileSync(wasm) } as Parameters<typeof init>[0]);
});

async function webp({ data, width, height }: PNG, lossless: 0 | 1): Promise<Buffer> {
  const image = { data: new Uint8ClampedArray(data), width, height, colorSpace: 'srgb' } as const;
  return Buffer.from(await encodeWebp(image as never, { lossless, exact: 1 }));
}

/** Both of the program's readers of pictures: what one says, the other must say. */
const READERS = {
  decode: async (file: string) => {
    for await (const { codes } of readPages(file)) return codes.map(({ text }) => text);
    return [];
  },
  'simulate --card': async (file: string) => [(await readImage(file)).code],
};

const GOOD: Record<string, () => Promise<Buffer>> = {
  'code.png': async () => PNG.sync.write(await code(DARK_ON_LIGHT)),
  'code.jpg': async () => Buffer.from(jpeg.encode(await code(DARK_ON_LIGHT), 80).data),
  'lossy.webp': async () => webp(await code(DARK_ON_LIGHT), 0),
  'lossless.webp': async () => webp(await code(DARK_ON_LIGHT), 1),
  'white-on-clear.png': async () => PNG.sync.write(await code(WHITE_ON_CLEAR)),
  'dark-on-clear.png': async () => PNG.sync.write(await code(DARK_ON_CLEAR)),
  'white-on-clear.webp': async () => webp(await code(WHITE_ON_CLEAR), 1),
  'dark-on-clear.webp': async () => webp(await code(DARK_ON_CLEAR), 1),
};

/** A beginning of the format; the rest is not looked at. */
const beginning = (text: string) => Buffer.concat([Buffer.from(text, 'latin1'), Buffer.alloc(64)]);
const OTHERS: readonly (readonly [file: string, bytes: Buffer, format: RegExp])[] = [
  ['photo.heic', beginning('\0\0\0\x24ftypheic'), /is a HEIC picture \(what iPhones take\)/],
  ['photo.avif', beginning('\0\0\0\x1cftypavif'), /is an AVIF picture/],
  ['code.gif', beginning('GIF89a'), /is a GIF picture/],
  ['code.bmp', beginning(`BM${'\0'.repeat(12)}\x28`), /is a BMP picture/],
  ['code.tif', beginning('II*\0'), /is a TIFF picture/],
  ['code.jxl', beginning('\xff\x0a'), /is a JPEG XL picture/],
];

function webpThatClaims(width: number, height: number): Buffer {
  const bytes = beginning('RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0');
  bytes.writeUIntLE(width - 1, 24, 3);
  bytes.writeUIntLE(height - 1, 27, 3);
  return bytes;
}

const animated = () => {
  const bytes = webpThatClaims(10, 10);
  bytes[20] = 2;
  return bytes;
};

const NOT_READ: readonly (readonly [file: string, bytes: () => Buffer, why: RegExp])[] = [
  ['large.webp', () => webpThatClaims(16_000, 16_000), /is too large to be read: .* the limit is/],
  ['animated.webp', animated, /damaged.*it is animated; save one picture of it as PNG/],
  ['half.webp', () => beginning('RIFF\0\0\0\0WEBPVP8 '), /damaged/],
  ['half.png', () => beginning('\x89PNG\r\n\x1a\n'), /damaged/],
  ['half.jpg', () => beginning('\xff\xd8\xff'), /damaged/],
];

describe.each(Object.entries(READERS))('%s', (_name, read) => {
  test.each(Object.entries(GOOD))('reads %s', async (name, bytes) => {
    const file = join(folder, name);
    writeFileSync(file, await bytes());
    expect(await read(file)).toEqual([CODE]);
  });

  test.each(OTHERS)('says of %s what it is and how to convert it', async (name, bytes, format) => {
    const file = join(folder, name);
    writeFileSync(file, bytes);
    await expect(read(file)).rejects.toThrow(format);
    await expect(read(file)).rejects.toThrow(/save it as PNG or JPEG/);
  });

  test.each(NOT_READ)('tells a limit of %s from damage', async (name, bytes, why) => {
    const file = join(folder, name);
    writeFileSync(file, bytes());
    await expect(read(file)).rejects.toThrow(why);
  });
});

test.each(OTHERS)('a logo that is %s is refused with the same advice', (_file, bytes, format) => {
  expect(() => readLogo(bytes)).toThrow(format);
});

test('a light code on a transparent ground is found in an SVG', async () => {
  const file = join(folder, 'light.svg');
  const drawn = await qrcode.toString(CODE, { type: 'svg', color: WHITE_ON_CLEAR });
  writeFileSync(file, drawn);
  expect(await READERS.decode(file)).toEqual([CODE]);
});

test('a picture is reduced to the mean of its squares', () => {
  const data = new Uint8ClampedArray([
    ...[0, 10, 20, 255, 100, 30, 40, 255, 9, 9, 9, 255],
    ...[0, 10, 20, 255, 100, 30, 40, 255, 9, 9, 9, 255],
  ]);
  expect(reduce({ width: 3, height: 2, data }, 2)).toEqual({
    width: 1,
    height: 1,
    data: new Uint8ClampedArray([50, 20, 30, 255]),
  });
});
