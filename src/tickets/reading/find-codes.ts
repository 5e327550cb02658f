import jsqr from 'jsqr';
import type { ReaderOptions } from 'zxing-wasm/reader';
import { type Box, crop, enlarge, type Picture, reduce } from '../../kit/pictures/picture.ts';
import { readAsset } from '../assets.ts';
import { loadPictures } from './load-pictures.ts';

export const DECODERS = ['jsqr', 'zxing'] as const;
export type Decoder = (typeof DECODERS)[number];

/** A code that was read. */
export interface FoundCode {
  readonly text: string;
  /** The decoders that read it. A code that only one of the two reads will fail on some phones and gates. */
  readonly decoders: readonly Decoder[];
}

/** The codes in a picture of a file, and the page it is when the file has pages. */
export interface PageCodes {
  /** The page, counted from 1; null in a file without pages. */
  readonly page: number | null;
  readonly codes: readonly FoundCode[];
}

/** The codes in the pictures of a file, one picture after the other. @throws TicketscanError `usage` as `loadPictures` */
export async function* readPages(file: string): AsyncGenerator<PageCodes> {
  for await (const { picture, onBlack, page } of loadPictures(file)) {
    const codes = await findCodes(picture);
    yield { page, codes: codes.length > 0 || !onBlack ? codes : await findCodes(await onBlack()) };
  }
}

/** Reads a picture for each call: with a file its first, then the next of the same file; undefined after the last. */
export function pageReader(): (file: string | undefined) => Promise<PageCodes | undefined> {
  let pages: AsyncGenerator<PageCodes> | undefined;
  return async (file) => {
    if (file !== undefined) pages = readPages(file);
    const next = await pages?.next();
    return next?.done === false ? next.value : undefined;
  };
}

/** What a decoder needs around a code, as a share of its side: the quiet zone and a little slant. */
const SURROUNDINGS = 0.2;
/** A picture this small is read again enlarged: its modules may be two pixels wide. */
const SMALL_SIDE = 1200;
const ENLARGEMENTS = [2, 3];

/**
 * What jsqr looks at first: its time grows with the square of what looks like a corner of a code, so that it takes half a minute for
 * twelve megapixels of leaves or gravel, for which zxing takes half a second.
 */
const REDUCED_PIXELS = 2_000_000;
/** A larger picture is reduced for jsqr. */
const WHOLE_PIXELS_MAX = 8_000_000;

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
  const text = readReducedFirst(picture);
  return text ? [{ text, decoders: ['jsqr'] }] : [];
}

function confirmed({ text, box }: LocatedCode, picture: Picture): FoundCode {
  const part = crop(picture, withSurroundings(box));
  const agrees = readReducedFirst(part) === text;
  return { text, decoders: agrees ? DECODERS : ['zxing'] };
}

function readReducedFirst(picture: Picture): string | undefined {
  const pixels = picture.width * picture.height;
  if (pixels <= REDUCED_PIXELS) return readWithJsqr(picture);
  const times = Math.ceil(Math.sqrt(pixels / REDUCED_PIXELS));
  const text = readWithJsqr(reduce(picture, times));
  return text || pixels > WHOLE_PIXELS_MAX ? text : readWithJsqr(picture);
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

/** The text of the one QR code in the picture; undefined when this decoder finds none. */
export function readWithJsqr({ data, width, height }: Picture): string | undefined {
  try {
    return jsqr.default(data, width, height)?.data;
  } catch {
    // It throws on some pictures that hold no code, for example on an index outside a very small one.
    return undefined;
  }
}

const OPTIONS: ReaderOptions = {
  // Without the small variants: a corner of a QR code can look like a Micro QR code, one corner in some 5,000.
  formats: ['QRCodeModel2'],
  tryHarder: true,
  maxNumberOfSymbols: 255,
};

/** A code and where in the picture it is. */
export interface LocatedCode {
  readonly text: string;
  readonly box: Box;
}

let reader: ReturnType<typeof loadReader> | undefined;

/** Every QR code in the picture, in the order in which one reads a page. */
export async function readWithZxing(picture: Picture): Promise<LocatedCode[]> {
  reader ??= loadReader();
  const { readBarcodes } = await reader;
  const results = await readBarcodes({ ...picture, colorSpace: 'srgb' }, OPTIONS);
  const codes = results
    .filter(({ isValid }) => isValid)
    .map(({ text, position }) => ({ text, box: boxAround(Object.values(position)) }));
  return inReadingOrder(codes);
}

/** The package would fetch its WebAssembly from the network; it gets it from the disk. */
async function loadReader() {
  const [zxing, wasm] = await Promise.all([import('zxing-wasm/reader'), readAsset('zxing')]);
  const wasmBinary = wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength);
  await zxing.prepareZXingModule({ overrides: { wasmBinary }, fireImmediately: true });
  return zxing;
}

function boxAround(corners: readonly { x: number; y: number }[]): Box {
  const x = corners.map((corner) => corner.x);
  const y = corners.map((corner) => corner.y);
  return {
    left: Math.min(...x),
    top: Math.min(...y),
    right: Math.max(...x),
    bottom: Math.max(...y),
  };
}

/** Row by row from the top, each from the left; a code belongs to a row whose first code reaches its middle. */
function inReadingOrder(codes: readonly LocatedCode[]): LocatedCode[] {
  const rows: LocatedCode[][] = [];
  for (const code of codes.toSorted((a, b) => a.box.top - b.box.top)) {
    const row = rows.at(-1);
    const middle = (code.box.top + code.box.bottom) / 2;
    if (row?.[0] && middle < row[0].box.bottom) row.push(code);
    else rows.push([code]);
  }
  return rows.flatMap((row) => row.toSorted((a, b) => a.box.left - b.box.left));
}
