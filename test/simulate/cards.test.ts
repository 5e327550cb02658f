import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encode as encodeJpeg } from 'jpeg-js';
import { PNG } from 'pngjs';
import qrcode from 'qrcode';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { labelOf, readCardFile } from '../../src/simulate/cards/card-file.ts';
import { readImage } from '../../src/simulate/cards/read-image.ts';
import { temporaryFolder } from './support/servers.ts';

const CODE = 'TS1.tkt_abc123_0123456789abcdefghij.AAECAwQFBgcICQoLDA0ODw';
const folder = temporaryFolder();
const file = (name: string, content: string | Buffer): string => {
  const path = join(folder.path, name);
  writeFileSync(path, content);
  return path;
};
let png: Buffer;

beforeAll(async () => {
  png = await qrcode.toBuffer(CODE);
});
afterAll(() => folder.remove());

describe('an image', () => {
  test('in PNG is read', async () => {
    expect(await readImage(file('code.png', png))).toEqual({ code: CODE, label: 'code.png' });
  });

  test('in JPEG is read', async () => {
    const { width, height, data } = PNG.sync.read(png);
    const jpeg = Buffer.from(encodeJpeg({ width, height, data }, 60).data);
    expect(await readImage(file('code.jpg', jpeg))).toMatchObject({ code: CODE });
  });

  test('in pale grey, on which the first decoder fails, is read by the second', async () => {
    const pale = await qrcode.toBuffer(CODE, { color: { dark: '#b0b0b0ff', light: '#ffffffff' } });
    expect(await readImage(file('pale.png', pale))).toMatchObject({ code: CODE });
  });

  test('on a transparent ground is read', async () => {
    const clear = await qrcode.toBuffer(CODE, { color: { dark: '#000000ff', light: '#00000000' } });
    expect(await readImage(file('clear.png', clear))).toMatchObject({ code: CODE });
  });

  test.each([
    [
      'that is not there',
      () => join(folder.path, 'no.png'),
      /cannot be read: no such file or folder/,
    ],
    ['that is text', () => file('text.png', 'hello'), /is not a PNG, JPEG or WebP image/],
    ['that is damaged', () => file('half.png', png.subarray(0, 200)), /is damaged/],
    [
      'without a code',
      () => file('white.png', PNG.sync.write(whitePicture())),
      /no QR code was found/,
    ],
  ])('%s is refused in one sentence', async (_what, path, message) => {
    await expect(readImage(path())).rejects.toThrow(message);
  });
});

function whitePicture(): PNG {
  const picture = new PNG({ width: 60, height: 60 });
  picture.data.fill(255);
  return picture;
}

describe('a file of cards', () => {
  const codes = async (name: string, content: string, states?: string[]) =>
    (await readCardFile(file(name, content), states)).cards.map(({ code }) => code);

  test('as text has a code a line', async () => {
    expect(await codes('codes.txt', 'one\ntwo\r\n\nthree\n')).toEqual(['one', 'two', 'three']);
  });

  test('as CSV has a column code, anywhere, quoted or not', async () => {
    expect(await codes('a.csv', 'name,code\n"Muster, Erika","a""b"\nOtto,c\n')).toEqual([
      'a"b',
      'c',
    ]);
    expect(await codes('b.csv', '\uFEFFticketCode;name\nx;y\n')).toEqual(['x']);
  });

  test('as CSV has quotes, doubled quotes, line breaks in quotes and empty lines', async () => {
    const text = 'who;code\r\n"b;""c""\n2";x\r\n\r\nd;"y"';
    expect(await codes('quotes.csv', text)).toEqual(['x', 'y']);
    await expect(codes('names.csv', 'firstName,lastName\nAda,Lovelace\n')).rejects.toThrow(
      /names\.csv has no column "code": its first line has "firstName", "lastName"\. Name the column/,
    );
    expect(await codes('tabs.csv', 'who\tcode\na\tz')).toEqual(['z']);
  });

  test('with a quote that is never closed is refused with its line', async () => {
    await expect(codes('open.csv', 'code\na\n"b\n')).rejects.toThrow(/open\.csv, line 3: a quote/);
  });

  test('as an array of tickets has their codes', async () => {
    expect(await codes('t.json', JSON.stringify([{ code: 'a', event: 'e' }, 'b']))).toEqual([
      'a',
      'b',
    ]);
  });

  const target = JSON.stringify({
    baseUrl: 'http://127.0.0.1:1',
    keys: { hardware: 'secret' },
    tickets: { single: ['s1', { code: 's2' }], expired: ['e1'], multi: ['m1'] },
  });

  test('as a target file gives the tickets that may be spent, and address and key', async () => {
    const cards = await readCardFile(file('target.json', target));
    expect(cards).toMatchObject({ baseUrl: 'http://127.0.0.1:1', hardwareKey: 'secret' });
    expect(cards.cards.map(({ code }) => code)).toEqual(['s1', 's2', 'm1']);
  });

  test('as a target file gives the states that are asked for', async () => {
    expect(await codes('target.json', target, ['expired', 'single'])).toEqual(['e1', 's1', 's2']);
    await expect(codes('target.json', target, ['lost'])).rejects.toThrow(/in the state "lost"/);
  });

  test.each([
    ['empty.txt', '', /contains no card/],
    ['broken.json', '{"tickets":', /is not valid JSON/],
  ])('%s is refused', async (name, content, message) => {
    await expect(codes(name, content)).rejects.toThrow(message);
  });
});

test('a label tells cards apart without giving the ticket away', () => {
  expect(labelOf(CODE)).toBe('tkt_abc123_0123456789abcdefghij');
  expect(labelOf('short')).toBe('short');
  expect(labelOf('https://example.org/a/long/one')).toBe('https://exam…');
});
