import type { Picture } from './picture.ts';

/**
 * Counts the corners of QR codes in a picture: the squares in a square (ISO/IEC 18004, "finder pattern"), whose rows read dark, light,
 * dark, light, dark in the widths 1:1:3:1:1. A code has three of them. They are seen also where a code cannot be read, as when another one
 * lies beside it, it is blurred, or a finger covers part of it.
 */
export function countCorners(picture: Picture): number {
  const dark = darkPixels(picture);
  const corners: Corner[] = [];
  for (let y = 0; y < picture.height; y += ROWS_STEP) {
    for (const found of cornersInRow({ ...picture, dark }, y)) {
      const known = corners.find((one) => isSame(one, found));
      if (known) known.rows += 1;
      else corners.push(found);
    }
  }
  return corners.filter(({ rows }) => rows >= ROWS_MIN).length;
}

/** A light code on a dark ground has the same corners with dark and light changed. */
interface Corner {
  readonly x: number;
  readonly y: number;
  /** The width of one module, in pixels. */
  readonly module: number;
  /** Counts the rows in which it was found. */
  rows: number;
}

interface DarkPicture {
  readonly dark: Uint8Array;
  readonly width: number;
  readonly height: number;
}

const ROWS_STEP = 2;
/** What only one row shows is a pattern of something else. */
const ROWS_MIN = 2;
/** Dark, light, dark, light, dark, in modules. */
const WIDTHS = [1, 1, 3, 1, 1] as const;
const MODULES = 7;
/** How much a width may differ, in modules: a camera's picture is blurred and seen from the side. */
const TOLERANCE = 0.7;
const MODULE_PIXELS_MIN = 1.5;

/** The size of the parts whose light is compared: a shadow over half of the picture changes nothing. */
const BLOCK = 32;
/** A part with less contrast has no code. */
const CONTRAST_MIN = 40;

/** Which pixels are darker than the middle of their part of the picture: 1 for dark. */
function darkPixels({ data, width, height }: Picture): Uint8Array {
  const light = new Uint8Array(width * height);
  for (let at = 0; at < light.length; at += 1) {
    const [red = 0, green = 0, blue = 0] = [data[4 * at], data[4 * at + 1], data[4 * at + 2]];
    light[at] = (red + 2 * green + blue) >> 2;
  }
  const dark = new Uint8Array(width * height);
  for (let top = 0; top < height; top += BLOCK) {
    for (let left = 0; left < width; left += BLOCK) {
      const limit = middleOf({ light, width, height }, left, top);
      eachPixel({ width, height }, left, top, 0, (at) => {
        dark[at] = (light[at] ?? 0) < limit ? 1 : 0;
      });
    }
  }
  return dark;
}

/** Half way between the darkest and the lightest pixel of a part and of what is around it; 0, so that all is light, without contrast. */
function middleOf(
  { light, width, height }: { light: Uint8Array; width: number; height: number },
  left: number,
  top: number,
): number {
  let [darkest, lightest] = [255, 0];
  eachPixel({ width, height }, left, top, BLOCK / 2, (at) => {
    const value = light[at] ?? 0;
    if (value < darkest) darkest = value;
    if (value > lightest) lightest = value;
  });
  return lightest - darkest < CONTRAST_MIN ? 0 : (darkest + lightest) / 2;
}

/** @param around how many pixels beyond each side of the part are visited too */
function eachPixel(
  { width, height }: { width: number; height: number },
  left: number,
  top: number,
  around: number,
  visit: (at: number) => void,
): void {
  const [right, bottom] = [
    Math.min(width, left + BLOCK + around),
    Math.min(height, top + BLOCK + around),
  ];
  for (let y = Math.max(0, top - around); y < bottom; y += 1) {
    for (let x = Math.max(0, left - around); x < right; x += 1) visit(y * width + x);
  }
}

function cornersInRow(picture: DarkPicture, y: number): Corner[] {
  const { dark, width } = picture;
  const runs = runsOf(dark.subarray(y * width, (y + 1) * width));
  const found: Corner[] = [];
  for (let first = 0; first + WIDTHS.length <= runs.length; first += 1) {
    const five = runs.slice(first, first + WIDTHS.length);
    const module = moduleOf(five.map(({ length }) => length));
    const [, , middle] = five;
    if (module === undefined || !middle) continue;
    const x = middle.start + Math.floor(middle.length / 2);
    const centre = centreInColumn(picture, x, y, module);
    if (centre !== undefined) found.push({ x, y: centre, module, rows: 1 });
  }
  return found;
}

interface Run {
  readonly start: number;
  readonly length: number;
}

/** Pixels of one kind after each other; dark and light take turns. */
function runsOf(line: Uint8Array): Run[] {
  const runs: Run[] = [];
  let start = 0;
  for (let at = 1; at <= line.length; at += 1) {
    if (at < line.length && line[at] === line[start]) continue;
    runs.push({ start, length: at - start });
    start = at;
  }
  return runs;
}

/** The width of a module when five runs are those of a corner. */
function moduleOf(lengths: readonly number[]): number | undefined {
  const module = lengths.reduce((sum, length) => sum + length, 0) / MODULES;
  if (module < MODULE_PIXELS_MIN) return undefined;
  const isCorner = lengths.every(
    (length, index) => Math.abs(length - (WIDTHS[index] ?? 0) * module) <= TOLERANCE * module,
  );
  return isCorner ? module : undefined;
}

/** The middle of a corner in the column through it, when the column has the same pattern in about the same size. */
function centreInColumn(
  { dark, width, height }: DarkPicture,
  x: number,
  y: number,
  module: number,
): number | undefined {
  const reach = Math.ceil(module * MODULES);
  const top = Math.max(0, y - reach);
  const bottom = Math.min(height, y + reach + 1);
  const column = new Uint8Array(bottom - top);
  for (let at = top; at < bottom; at += 1) column[at - top] = dark[at * width + x] ?? 0;
  const runs = runsOf(column);
  const middle = runs.findIndex(({ start, length }) => start + length > y - top);
  const five = runs.slice(Math.max(0, middle - 2), middle + 3);
  const own =
    five.length === WIDTHS.length ? moduleOf(five.map(({ length }) => length)) : undefined;
  const [, , centre] = five;
  if (own === undefined || !centre || Math.abs(own - module) > TOLERANCE * module) return undefined;
  return top + centre.start + Math.floor(centre.length / 2);
}

function isSame(one: Corner, other: Corner): boolean {
  const reach = 3 * Math.max(one.module, other.module);
  return Math.abs(one.x - other.x) <= reach && Math.abs(one.y - other.y) <= reach;
}
