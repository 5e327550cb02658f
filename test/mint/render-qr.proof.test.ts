import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { crop, enlarge, type Picture } from '../../src/kit/pictures/picture.ts';
import { renderQr } from '../../src/tickets/codes/render-qr.ts';
import { findCodes } from '../../src/tickets/reading/find-codes.ts';
import { loadPictures } from '../../src/tickets/reading/load-pictures.ts';
import { readBack } from '../../src/tickets/reading/read-back.ts';

const CODE = 'TS1.tkt_abc123_0123456789abcdefghij.96Ggx5fqYfEEpY9uS3RVag';
const folder = mkdtempSync(join(tmpdir(), 'ticketscan-render-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, content: string | Uint8Array): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

test('a PNG has one bit a pixel and the size that the scale says', () => {
  const png = renderQr(CODE, { format: 'png', scale: 5 });

  expect(png.readUInt32BE(16)).toBe((33 + 2 * 4) * 5);
  expect(png[24]).toBe(1);
  expect(png.length).toBeLessThan(1000);
});

test.each([0, 1, 65, 2.5, Number.NaN])('a scale of %s is refused', (scale) => {
  expect(() => renderQr(CODE, { format: 'png', scale })).toThrow('whole number from 2 to 64');
});

test.each(['png', 'svg', 'text'] as const)(
  'a code drawn as %s reads back from its file',
  async (format) => {
    const file = write(`good.${format}`, renderQr(CODE, { format }));

    expect(await readBack(file, CODE)).toBeUndefined();
  },
);

test('a terminal gets the same characters, black on white whatever its colours are', () => {
  const plain = renderQr(CODE, { format: 'text' });
  const coloured = renderQr(CODE, { format: 'terminal' });

  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours of a terminal begin with escape
  expect(coloured.replace(/\u001b\[[0-9;]*m/gu, '')).toBe(plain);
  for (const line of coloured.trimEnd().split('\n')) {
    expect(line.startsWith('\u001b[38;5;16;48;5;231m')).toBe(true);
  }
});

test('reading back tells a code that is another one, a damaged one, two in one, and none', async () => {
  const png = renderQr(CODE, { format: 'png' });
  const white =
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9" fill="#fff"/></svg>';
  const two = renderQr(CODE, { format: 'svg' }).replace(
    'viewBox="0 0 41 41"',
    'viewBox="0 0 82 41"',
  );
  const path = /<path fill="#000000" d="([^"]+)"/u.exec(two)?.[1] ?? '';
  const twin = `<g transform="translate(41 0)"><path fill="#fff" d="M0 0h41v41H0z"/><path d="${path}"/></g></svg>`;

  expect(await readBack(write('other.png', png), `${CODE}x`)).toBe('it reads as another code');
  expect(await readBack(write('cut.png', png.subarray(0, 300)), CODE)).toContain('damaged PNG');
  expect(await readBack(write('white.svg', white), CODE)).toBe('no decoder finds a code in it');
  expect(await readBack(write('two.svg', two.replace('</svg>', twin)), CODE)).toBe(
    'it contains more than one code',
  );
});

test('a code that only one decoder reads does not count as readable', async () => {
  // Dark grey that is light for jsqr.
  const grey = renderQr(CODE, { format: 'svg' }).replace('#000000', '#909090');

  expect(await readBack(write('grey.svg', grey), CODE)).toBe('jsqr cannot read it');
});

test('a photo of several codes at once yields each of them, in reading order', async () => {
  const codes = Array.from({ length: 6 }, (_, index) => `${CODE}${index}`);
  const page: Picture = {
    width: 1200,
    height: 800,
    data: new Uint8ClampedArray(1200 * 800 * 4).fill(255),
  };
  for (const [index, code] of codes.entries()) {
    for await (const { picture } of loadPictures(
      write('one.png', renderQr(code, { format: 'png' })),
    )) {
      paste(
        page,
        picture,
        20 + (index % 3) * 390,
        20 + Math.floor(index / 3) * 390 + (index % 3) * 9,
      );
    }
  }

  const found = await findCodes(page);

  expect(found.map(({ text }) => text)).toEqual(codes);
  expect(found.every(({ decoders }) => decoders.length === 2)).toBe(true);
});

test('a part of a picture, and a picture enlarged, keep their pixels', () => {
  const data = Uint8ClampedArray.from({ length: 3 * 2 * 4 }, (_, index) => index);
  const picture = { width: 3, height: 2, data };

  const part = crop(picture, { left: 1, top: 1, right: 9, bottom: 9 });
  const large = enlarge(picture, 2);

  expect(part).toEqual({ width: 2, height: 1, data: data.slice(16, 24) });
  expect(crop(large, { left: 4, top: 2, right: 5, bottom: 3 }).data).toEqual(data.slice(20, 24));
});

function paste(page: Picture, picture: Picture, left: number, top: number): void {
  for (let row = 0; row < picture.height; row += 1) {
    const line = picture.data.subarray(row * picture.width * 4, (row + 1) * picture.width * 4);
    page.data.set(line, ((top + row) * page.width + left) * 4);
  }
}
