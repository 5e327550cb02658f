import { spawn } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import * as jpeg from 'jpeg-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findCodes } from '../../src/tickets/reading/find-codes.ts';
import { PROGRAM } from '../support/cli.ts';
import { processorMs } from '../support/processor-time.ts';
import { finished, Workplace } from './support/program.ts';

const place = new Workplace();
const MEMORY_MB_MAX = 750;

beforeAll(async () => {
  await place.output('seed', '--count', '1');
  await place.output('mint', '--event', 'Summer pool', '--out', 'good', '--format', 'png,svg,pdf');
});
afterAll(() => place.remove());

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

interface Shape {
  readonly width: number;
  readonly height: number;
  readonly depth?: number;
  readonly colour?: number;
  readonly interlaced?: boolean;
}

function header({ width, height, depth = 8, colour = 0, interlaced = false }: Shape): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width);
  data.writeUInt32BE(height, 4);
  data.set([depth, colour, 0, 0, interlaced ? 1 : 0], 8);
  return chunk('IHDR', data);
}

function png(headers: readonly Shape[], unpackedBytes: number): Buffer {
  const data = chunk('IDAT', deflateSync(Buffer.alloc(unpackedBytes)));
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([signature, ...headers.map(header), data, chunk('IEND', Buffer.alloc(0))]);
}

function jpegThatClaims(width: number, height: number): Buffer {
  const small = jpeg.encode(
    { data: Buffer.alloc(64 * 64 * 4, 255), width: 64, height: 64 },
    10,
  ).data;
  const bytes = Buffer.from(small);
  const at = bytes.indexOf(Buffer.from([0xff, 0xc0]));
  bytes.writeUInt16BE(height, at + 5);
  bytes.writeUInt16BE(width, at + 7);
  return bytes;
}

const POINT = { width: 1, height: 1 };
const MB = 1024 * 1024;
const svg = (box: string, inner: string) =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="${box}">${inner}</svg>`);
const embedded = png([{ width: 20_000, height: 20_000, depth: 1 }], 2501 * 20_000).toString(
  'base64',
);

function svgOfManyRules(): Buffer {
  const count = 30_000;
  const rules = Array.from({ length: count }, (_, number) => `.c${number}{fill:red}`).join('');
  return svg('0 0 9 9', `<style>${rules}</style>${'<g class="x"/>'.repeat(count)}`);
}

function pdfWithContent(unpackedBytes: number): Buffer {
  const content = deflateSync(Buffer.alloc(unpackedBytes));
  return Buffer.concat([
    Buffer.from(
      '%PDF-1.5\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n' +
        '3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R>>\nendobj\n' +
        `4 0 obj\n<</Length ${content.length}/Filter/FlateDecode>>\nstream\n`,
    ),
    content,
    Buffer.from('\nendstream\nendobj\ntrailer\n<</Size 5/Root 1 0 R>>\n%%EOF'),
  ]);
}

/**
 * Makes the program say on its way out the most memory that it had, in KB. Linux counts what the process had that started it into `maxRSS`: here
 * that made the file of 900 MB. What the program itself had is `VmHWM`.
 */
const WATCH = `data:text/javascript,${encodeURIComponent(`
  const { readFileSync } = process.getBuiltinModule('node:fs');
  const most = () => /VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1];
  process.on('exit', () => process.stderr.write('RSS ' + most()));
`)}`;

async function decode(...files: string[]): Promise<{ memoryMb: number; lines: string[] }> {
  const options = { cwd: place.folder, env: { ...process.env, NO_COLOR: '1' } };
  const child = spawn(process.execPath, ['--import', WATCH, PROGRAM, 'decode', ...files], options);
  const { stdout, stderr } = await finished(child);
  return {
    memoryMb: Number(/RSS (\d+)/.exec(stderr)?.[1]) / 1024,
    lines: stdout.trim().split('\n'),
  };
}

test.each<[name: string, bytes: () => Buffer, why: RegExp]>([
  ['interlaced.png', () => png([{ ...POINT, interlaced: true }], 400 * MB), /unpacks to more/],
  [
    'claims.png',
    () => png([{ width: 10_000, height: 12_000, depth: 1 }], 1251 * 12_000),
    /^claims.png: is too large to be read: it has 120000000 pixels; the limit is/,
  ],
  [
    'deep.png',
    () => png([{ width: 7000, height: 7000, depth: 16, colour: 6 }], 1000),
    /is too large to be read: it has \d+ bytes of pixels/,
  ],
  [
    'two.png',
    () => png([POINT, { width: 20_000, height: 20_000, depth: 1 }], 2501 * 20_000),
    /two headers/,
  ],
  [
    'claims.jpg',
    () => jpegThatClaims(8000, 6000),
    /is too large to be read: it has more than 25 megapixels/,
  ],
  [
    'thin.svg',
    () => svg('0 0 1 200', '<rect width="1" height="1"/>'),
    /is too large to be read: it is 200 times as high as it is wide/,
  ],
  [
    'embedded.svg',
    () => svg('0 0 9 9', `<image width="9" height="9" href="data:image/png;base64,${embedded}"/>`),
    /memory than one file is allowed/,
  ],
  [
    'slow.svg',
    svgOfManyRules,
    /takes more than 10 seconds of processor time to read, which is the limit/,
  ],
  ['content.pdf', () => pdfWithContent(900 * MB), /memory than one file is allowed/],
])(
  '%s is refused with a reason, takes little memory, and the next files are read',
  async (name, bytes, why) => {
    writeFileSync(place.path(name), bytes());
    const good = readdirSync(place.path('good')).map((file) => join('good', file));
    const { memoryMb, lines } = await decode(name, ...good);
    expect(lines[0]).toMatch(why);
    expect(lines.slice(1).filter((line) => line.includes(': genuine TS1')).length).toBe(
      good.length,
    );
    expect(memoryMb).toBeGreaterThan(0);
    expect(memoryMb).toBeLessThan(MEMORY_MB_MAX);
  },
);

test('an interlaced picture of an honest size is read as any other', async () => {
  writeFileSync(
    place.path('honest.png'),
    png([{ width: 8, height: 8, interlaced: true }], 8 * 8 + 15),
  );
  expect((await decode('honest.png')).lines).toEqual(['honest.png: no QR code found']);
});

test('a photo of twelve megapixels without a code takes few seconds of processor time', async () => {
  // Every pixel may begin a corner of a code.
  const data = new Uint8ClampedArray(4000 * 3000 * 4).fill(255);
  let random = 1;
  for (let at = 0; at < data.length; at += 4) {
    random = (random * 1103515245 + 12345) % 2 ** 31;
    data.fill(random % 70, at, at + 3);
  }
  const picture = { width: 4000, height: 3000, data };
  const usedMs = await processorMs(async () => expect(await findCodes(picture)).toEqual([]));
  expect(usedMs).toBeLessThan(8000);
});
