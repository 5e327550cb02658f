import { readWithJsqr } from './jsqr.ts';
import { type Box, crop, enlarge, type Picture } from './picture.ts';
import { type LocatedCode, readWithZxing } from './zxing.ts';

export const DECODERS = ['jsqr', 'zxing'] as const;
export type Decoder = (typeof DECODERS)[number];

/** A code that was read. */
export interface FoundCode {
  readonly text: string;
  /** Who read it; a code that only one of the two reads will fail on some phones and gates. */
  readonly decoders: readonly Decoder[];
}

/** What a decoder needs around a code, as a share of its side: the quiet zone and a little slant. */
const SURROUNDINGS = 0.2;
/** A picture this small is read again enlarged: its modules may be two pixels wide. */
const SMALL_SIDE = 1200;
const ENLARGEMENTS = [2, 3];

/**
 * Reads every QR code in a picture with two independent decoders: zxing finds them all, jsqr reads each once more in
 * its cut-out. When zxing finds none, jsqr looks at the whole picture.
 */
export async function findCodes(picture: Picture): Promise<FoundCode[]> {
  const found = await findAtThisSize(picture);
  if (found.length > 0 || Math.max(picture.width, picture.height) > SMALL_SIDE) return found;
  for (const times of ENLARGEMENTS) {
    const enlarged = await findAtThisSize(enlarge(picture, times));
    if (enlarged.length > 0) return enlarged;
  }
  return [];
}

async function findAtThisSize(picture: Picture): Promise<FoundCode[]> {
  const located = await readWithZxing(picture);
  if (located.length > 0) return located.map((code) => confirmed(code, picture));
  const text = readWithJsqr(picture);
  return text ? [{ text, decoders: ['jsqr'] }] : [];
}

function confirmed({ text, box }: LocatedCode, picture: Picture): FoundCode {
  const agrees = readWithJsqr(crop(picture, withSurroundings(box))) === text;
  return { text, decoders: agrees ? DECODERS : ['zxing'] };
}

function withSurroundings(box: Box): Box {
  const by = SURROUNDINGS * Math.max(box.right - box.left, box.bottom - box.top);
  return {
    left: box.left - by,
    top: box.top - by,
    right: box.right + by,
    bottom: box.bottom + by,
  };
}
