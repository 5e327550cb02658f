import jsqr from 'jsqr';
import { countCorners } from './code-corners.ts';
import type { Picture } from './picture.ts';

/** What one picture of a camera shows. */
export interface Sight {
  readonly codes: readonly string[];
  /** Whether something beside these has the corners of a code, and was not read. */
  readonly isUnread: boolean;
}

/** A code has three corners. */
const CORNERS = 3;
/** More codes of one picture are not read: two are enough to ask for one ticket alone. */
const CODES_MAX = 4;

/**
 * Reads every code in a picture, one after the other: what was read is painted over, so that the next is found. The finder sees none where
 * there are two, as of tickets side by side: then parts of the picture are looked at alone.
 */
export function sightOf(picture: Picture): Sight {
  const left = { ...picture, data: picture.data.slice() };
  const codes = new Set<string>();
  let found = codeIn(left);
  let corners = countCorners(left);
  // Counted by looks, not by codes: one that is found again, because painting missed it, ends too.
  for (let looks = 0; looks < CODES_MAX; looks += 1) {
    found ??= corners >= CORNERS ? codeInParts(left) : undefined;
    if (!found) break;
    codes.add(found.data);
    paintOver(left, found.around);
    corners = countCorners(left);
    found = corners >= CORNERS ? codeIn(left) : undefined;
  }
  return { codes: [...codes], isUnread: corners >= CORNERS };
}

interface Point {
  readonly x: number;
  readonly y: number;
}

interface FoundCode {
  readonly data: string;
  /** Its corners, one after the other around it. */
  readonly around: readonly Point[];
}

function codeIn({ data, width, height }: Picture): FoundCode | undefined {
  // A light code on a dark ground too, as on a phone in dark mode.
  const found = jsqr.default(data, width, height, { inversionAttempts: 'attemptBoth' });
  if (!found?.data) return undefined;
  const { topLeftCorner, topRightCorner, bottomRightCorner, bottomLeftCorner } = found.location;
  return {
    data: found.data,
    around: [topLeftCorner, topRightCorner, bottomRightCorner, bottomLeftCorner],
  };
}

/** Parts as shares of width and height, from where and how much. They overlap, so that a code in the middle is whole in one of them. */
const PARTS = [
  [0, 0, 0.6, 1],
  [0.4, 0, 0.6, 1],
  [0, 0, 1, 0.6],
  [0, 0.4, 1, 0.6],
  [0, 0, 0.6, 0.6],
  [0.4, 0, 0.6, 0.6],
  [0, 0.4, 0.6, 0.6],
  [0.4, 0.4, 0.6, 0.6],
] as const;

/** The first code that a part of the picture shows. */
function codeInParts(picture: Picture): FoundCode | undefined {
  for (const [left, top, width, height] of PARTS) {
    const x = Math.floor(left * picture.width);
    const y = Math.floor(top * picture.height);
    const part = cut(
      picture,
      x,
      y,
      Math.floor(width * picture.width),
      Math.floor(height * picture.height),
    );
    const found = codeIn(part);
    if (found) {
      const around = found.around.map((point) => ({ x: point.x + x, y: point.y + y }));
      return { data: found.data, around };
    }
  }
  return undefined;
}

const PIXEL_BYTES = 4;

function cut(
  { data, width: whole }: Picture,
  left: number,
  top: number,
  width: number,
  height: number,
): Picture {
  const part = new Uint8ClampedArray(width * height * PIXEL_BYTES);
  for (let row = 0; row < height; row += 1) {
    const from = ((top + row) * whole + left) * PIXEL_BYTES;
    part.set(data.subarray(from, from + width * PIXEL_BYTES), row * width * PIXEL_BYTES);
  }
  return { data: part, width, height };
}

/** How far over its corners a code is painted over: they are known only about. */
const MARGIN = 1.1;
const WHITE = 255;

/** Paints the area of a code white, as the ground around it is. */
function paintOver({ data, width, height }: Picture, around: readonly Point[]): void {
  const middle = {
    x: around.reduce((sum, { x }) => sum + x, 0) / around.length,
    y: around.reduce((sum, { y }) => sum + y, 0) / around.length,
  };
  const area = around.map(({ x, y }) => ({
    x: middle.x + (x - middle.x) * MARGIN,
    y: middle.y + (y - middle.y) * MARGIN,
  }));
  const [left, right] = rangeOf(
    area.map(({ x }) => x),
    width,
  );
  const [top, bottom] = rangeOf(
    area.map(({ y }) => y),
    height,
  );
  for (let y = top; y < bottom; y += 1) {
    for (let x = left; x < right; x += 1) {
      if (!isInside(area, x, y)) continue;
      const at = (y * width + x) * PIXEL_BYTES;
      data.fill(WHITE, at, at + PIXEL_BYTES);
    }
  }
}

function rangeOf(values: readonly number[], end: number): [from: number, to: number] {
  return [
    Math.max(0, Math.floor(Math.min(...values))),
    Math.min(end, Math.ceil(Math.max(...values))),
  ];
}

/** Whether a point is on the same side of all edges. */
function isInside(area: readonly Point[], x: number, y: number): boolean {
  const sides = area.map((from, index) => {
    const to = area[(index + 1) % area.length] ?? from;
    return (to.x - from.x) * (y - from.y) - (to.y - from.y) * (x - from.x);
  });
  return sides.every((side) => side >= 0) || sides.every((side) => side <= 0);
}
