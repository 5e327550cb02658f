import qrcode from 'qrcode';
import { expect, test } from 'vitest';
import { codesIn } from '../../src/dashboard/scanner/codes-in-picture.ts';

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
  ['none', []],
] as const)('%s: each code is read', (_, codes) => {
  expect(codesIn(pictureWith(codes))).toEqual(codes.map(([text]) => text));
});
