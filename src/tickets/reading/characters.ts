import { enlarge, type Picture } from './picture.ts';

const PIXELS_PER_MODULE = 4;
const WHITE = 0xffffffff;
const BLACK = 0xff000000;
const UPPER = '▀';
const LOWER = '▄';
const BOTH = '█';

/** Only lines of blocks belong to the code; what is written below is for people. */
const BLOCK_LINE = /^ *[▀▄█][ ▀▄█]*$/u;

export function looksLikeBlocks(text: string): boolean {
  return text.split('\n').filter((line) => BLOCK_LINE.test(line)).length > 10;
}

/** The picture that half blocks make on a light page, with a quiet zone around. */
export function readBlocks(bytes: Buffer): Picture {
  const lines = bytes
    .toString('utf8')
    .split('\n')
    .filter((line) => BLOCK_LINE.test(line));
  const margin = 4;
  const width = Math.max(...lines.map((line) => line.length)) + 2 * margin;
  const height = lines.length * 2 + 2 * margin;
  const pixels = new Uint32Array(width * height).fill(WHITE);
  for (const [row, line] of lines.entries()) {
    for (const [column, character] of Array.from(line).entries()) {
      const upper = (margin + row * 2) * width + margin + column;
      if (character === UPPER || character === BOTH) pixels[upper] = BLACK;
      if (character === LOWER || character === BOTH) pixels[upper + width] = BLACK;
    }
  }
  const data = new Uint8ClampedArray(pixels.buffer);
  return enlarge({ width, height, data }, PIXELS_PER_MODULE);
}
