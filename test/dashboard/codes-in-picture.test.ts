import qrcode from 'qrcode';
import { expect, test } from 'vitest';
import { countCorners } from '../../src/dashboard/scanner/code-corners.ts';
import { sightOf } from '../../src/dashboard/scanner/codes-in-picture.ts';
import { seededRandom } from '../../src/kit/random.ts';
import { SEED } from '../support/seed.ts';

const [WIDTH, HEIGHT, MODULE] = [640, 480, 5];

/** A white picture with codes at their places. */
function pictureWith(codes: readonly (readonly [text: string, left: number, top: number])[]) {
  const data = new Uint8ClampedArray(WIDTH * HEIGHT * 4).fill(255);
  for (const [text, left, top] of codes) {
    const { modules } = qrcode.create(text);
    for (let y = 0; y < modules.size * MODULE; y += 1) {
      for (let x = 0; x < modules.size * MODULE; x += 1) {
        if (!modules.get(Math.floor(y / MODULE), Math.floor(x / MODULE))) continue;
        data.fill(0, ((top + y) * WIDTH + left + x) * 4, ((top + y) * WIDTH + left + x) * 4 + 3);
      }
    }
  }
  return { data, width: WIDTH, height: HEIGHT };
}

/** A finger over a corner of data: the three corners are seen, and the code cannot be read. */
function covered(left: number, top: number) {
  const picture = pictureWith([['TS1.covered-by-a-finger', left, top]]);
  const size = qrcode.create('TS1.covered-by-a-finger').modules.size * MODULE;
  const half = Math.floor(size / 2);
  for (let y = top + half - 20; y < top + size; y += 1) {
    picture.data.fill(255, (y * WIDTH + left + half - 20) * 4, (y * WIDTH + left + size) * 4);
  }
  return picture;
}

test.each([
  ['one in the middle', [['TS1.alone', 250, 180]]],
  [
    'two beside each other',
    [
      ['TS1.left', 80, 180],
      ['TS1.right', 420, 180],
    ],
  ],
  [
    'two at different heights',
    [
      ['TS1.left', 60, 60],
      ['TS1.right', 440, 280],
    ],
  ],
  [
    'one above the other',
    [
      ['TS1.above', 250, 50],
      ['TS1.below', 250, 290],
    ],
  ],
  [
    'four in the corners',
    [
      ['TS1.first', 60, 40],
      ['TS1.second', 440, 40],
      ['TS1.third', 60, 300],
      ['TS1.fourth', 440, 300],
    ],
  ],
  ['none', []],
] as const)('%s: each code is read, and nothing is left unread', (_, codes) => {
  const { codes: read, isUnread } = sightOf(pictureWith(codes));
  expect(read.toSorted()).toEqual(codes.map(([text]) => text).toSorted());
  expect(isUnread).toBe(false);
});

test('a code that cannot be read is seen as one', () => {
  expect(sightOf(covered(250, 180))).toEqual({ codes: [], isUnread: true });
});

test('beside a code that is read, too', () => {
  const picture = covered(420, 180);
  const other = pictureWith([['TS1.read', 80, 180]]);
  for (const [at, value] of other.data.entries()) if (value === 0) picture.data[at] = 0;
  expect(sightOf(picture)).toEqual({ codes: ['TS1.read'], isUnread: true });
});

test('text and noise have no corners', () => {
  const picture = pictureWith([]);
  const draw = seededRandom(SEED);
  for (let at = 0; at < picture.data.length; at += 4) {
    const light = Math.floor(draw() * 256);
    picture.data.fill(light, at, at + 3);
  }
  expect(countCorners(picture)).toBeLessThan(3);
});
