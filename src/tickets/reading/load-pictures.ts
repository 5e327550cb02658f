import type { PDFiumLibrary } from '@hyzyla/pdfium';
import { messageOf, TicketscanError } from '../../core/errors.ts';
import { readPicture } from '../../kit/files.ts';
import { adviceOnFormat, pixelFormatOf } from '../../kit/pictures/formats.ts';
import { PictureLimit } from '../../kit/pictures/limits.ts';
import {
  type DrawnPicture,
  drawn,
  enlarge,
  fromGrey,
  layOn,
  type Picture,
} from '../../kit/pictures/picture.ts';
import { readBoundedWasm } from '../assets.ts';
import { forFile } from '../files.ts';

/** A code drawn in characters is a few kilobytes. */
const TEXT_BYTES_MAX = 256 * 1024;

/** A picture of a file, and the page it is when the file has pages. */
export interface PagePicture extends DrawnPicture {
  /** The page, counted from 1; null in a file without pages. */
  readonly page: number | null;
}

type Loader = (bytes: Buffer<ArrayBuffer>) => AsyncIterable<PagePicture>;

interface Kind {
  readonly name: string;
  readonly load: Loader;
}

/** The other kinds of file by what one begins with: extensions lie. */
const KINDS: readonly (Kind & { matches: (bytes: Buffer) => boolean })[] = [
  {
    name: 'PDF',
    matches: (bytes) => head(bytes).includes('%PDF-'),
    load: (bytes) => readPdfPages(bytes),
  },
  { name: 'text', matches: isBlocks, load: single(readBlocks) },
  {
    name: 'SVG',
    matches: (bytes) => /<svg[\s>]/i.test(head(bytes)),
    load: single((bytes) => drawSvg(bytes)),
  },
];

function kindOf(bytes: Buffer): Kind | undefined {
  const pixels = pixelFormatOf(bytes);
  if (pixels) return { name: pixels.name, load: single(pixels.read) };
  return KINDS.find(({ matches }) => matches(bytes));
}

/**
 * The pictures in an image file, one after the other so that a PDF of many pages needs the memory of one.
 * @throws TicketscanError `usage` when the file cannot be read, is no image, a damaged one, or too large
 */
export async function* loadPictures(file: string): AsyncGenerator<PagePicture> {
  const bytes = forFile(file, () => readPicture(file));
  const kind = kindOf(bytes);
  if (!kind) {
    const advice =
      adviceOnFormat(bytes) ??
      'is not a PNG, JPEG, WebP, SVG or PDF, and not a code drawn in characters';
    throw new TicketscanError('usage', `${file} ${advice}.`);
  }
  try {
    yield* kind.load(bytes);
  } catch (error) {
    if (error instanceof TicketscanError) throw error;
    throw new TicketscanError('usage', `${file} ${whyNotRead(kind, error)}.`, { cause: error });
  }
}

/** The reason why a file was not read. A limit must not be called damage, because people would look for another copy. */
function whyNotRead({ name }: Kind, error: unknown): string {
  if (error instanceof PictureLimit) return `is too large to be read: ${error.message}`;
  const why =
    (error as Error).name === 'RuntimeError' // of WebAssembly
      ? 'it cannot be drawn, or needs more memory than one file is allowed'
      : messageOf(error);
  return `is a damaged ${name}: ${why}`;
}

function single(draw: (bytes: Buffer<ArrayBuffer>) => Picture | Promise<Picture>): Loader {
  return async function* (bytes) {
    yield { ...(await drawn(() => draw(bytes))), page: null };
  };
}

function isBlocks(bytes: Buffer): boolean {
  return bytes.length < TEXT_BYTES_MAX && looksLikeBlocks(bytes.toString('utf8'));
}

function head(bytes: Buffer): string {
  return bytes.toString('latin1', 0, 1024);
}

const PIXELS_PER_MODULE = 4;
const WHITE = 0xffffffff;
const BLACK = 0xff000000;
const UPPER = '▀';
const LOWER = '▄';
const BOTH = '█';

/** Only lines of blocks belong to the code; what is written below is for people. */
const BLOCK_LINE = /^ *[▀▄█][ ▀▄█]*$/u;

function looksLikeBlocks(text: string): boolean {
  return text.split('\n').filter((line) => BLOCK_LINE.test(line)).length > 10;
}

/** The picture that half blocks make on a light page, with a quiet zone around. */
function readBlocks(bytes: Buffer): Picture {
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

/** A file says nothing certain about how large it will be shown. */
const WIDTH_PIXELS = 600;
/** Room for a strip of labels; a picture that is higher is an error or an attack on memory. */
const HEIGHT_PIXELS_MAX = 24_000;

let svgDrawer: ReturnType<typeof loadResvg> | undefined;

/** Draws an SVG as `drawSvg` does, on white. */
export async function readSvg(
  bytes: Buffer<ArrayBuffer>,
  widthPixels: number = WIDTH_PIXELS,
): Promise<Picture> {
  const picture = await drawSvg(bytes, widthPixels);
  layOn('white', picture);
  return picture;
}

/**
 * Draws an SVG in a given width in pixels. Nothing it refers to is fetched, and its texts are left out.
 * @throws Error for one that takes too much memory, PictureLimit for one that is far too high
 */
async function drawSvg(
  bytes: Buffer<ArrayBuffer>,
  widthPixels: number = WIDTH_PIXELS,
): Promise<Picture> {
  svgDrawer ??= loadResvg();
  const { Resvg } = await svgDrawer;
  const svg = new Resvg(bytes, { fitTo: { mode: 'width', value: widthPixels } });
  const times = svg.height / svg.width;
  if (!(times * widthPixels <= HEIGHT_PIXELS_MAX)) {
    svg.free();
    throw new PictureLimit(
      `it is ${Math.round(times)} times as high as it is wide; cut it into pieces`,
    );
  }
  const image = svg.render();
  const { width, height } = image;
  const picture = { width, height, data: new Uint8ClampedArray(image.pixels) };
  // Memory of WebAssembly is not the garbage collector's.
  image.free();
  svg.free();
  return picture;
}

async function loadResvg() {
  const [resvg, wasm] = await Promise.all([import('@resvg/resvg-wasm'), readBoundedWasm('resvg')]);
  await resvg.initWasm(wasm);
  return resvg;
}

/** Pixels per point (1/72 inch): 216 dots an inch give a module of a 15 mm code three pixels. */
const SCALE = 3;
/** A poster is drawn smaller, so that one page stays within a few hundred megabytes. */
const SIDE_PIXELS_MAX = 7000;

let pdfDrawer: Promise<PDFiumLibrary> | undefined;

/** A page in shades of grey, a byte a pixel. */
export interface GreyPage {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
  /** The page, counted from 1. */
  readonly page: number;
}

/** Draws page after page for a decoder. */
async function* readPdfPages(bytes: Buffer<ArrayBuffer>): AsyncGenerator<PagePicture> {
  for await (const { data, width, height, page } of drawPdfPages(bytes, SCALE, refuseLarge)) {
    yield { picture: fromGrey(data, width, height), page };
  }
}

/** Looks at a file before a page of it is drawn. @param side the longer one, in points @throws Error */
type PageCheck = (pages: number, side: number) => void;

/** The most pages: this many printed tickets are decoded in a minute. For more, give a part of them. */
const PAGES_MAX = 2000;
/** The largest page that the format has, 200 inches. */
const SIDE_POINTS_MAX = 14_400;

/** A file from somebody else must not take minutes, or the memory of the machine. */
function refuseLarge(pages: number, side: number): void {
  if (pages > PAGES_MAX)
    throw new PictureLimit(`it has ${pages} pages, and at most ${PAGES_MAX} are decoded; split it`);
  if (!(side <= SIDE_POINTS_MAX))
    throw new Error('a page is longer than 200 inches, the most that a PDF has');
}

/** @param check is asked before each page is drawn @param pixelsPerPoint a point is 1/72 inch; a page that would get too large is drawn smaller */
export async function* drawPdfPages(
  bytes: Buffer<ArrayBuffer>,
  pixelsPerPoint: number,
  check: PageCheck = () => {},
): AsyncGenerator<GreyPage> {
  pdfDrawer ??= loadPdfium();
  const document = await (await pdfDrawer).loadDocument(bytes);
  let isWhole = false;
  try {
    const pages = document.getPageCount();
    for (const page of document.pages()) {
      const { originalWidth, originalHeight } = page.getOriginalSize();
      check(pages, Math.max(originalWidth, originalHeight));
      const side = Math.max(originalWidth, originalHeight, 1);
      const scale = Math.min(pixelsPerPoint, SIDE_PIXELS_MAX / side);
      const { data, width, height } = await page.render({
        // The package would cut the page to whole points first, and so draw it a little too large.
        width: Math.max(1, Math.round(originalWidth * scale)),
        height: Math.max(1, Math.round(originalHeight * scale)),
        colorSpace: 'Gray',
        render: 'bitmap',
      });
      yield { data, width, height, page: page.number + 1 };
    }
    isWhole = true;
  } finally {
    if (isWhole) document.destroy();
    // After a failure its memory may be full or in disorder: the next file gets a new one.
    else pdfDrawer = undefined;
  }
}

async function loadPdfium(): Promise<PDFiumLibrary> {
  const [{ PDFiumLibrary: Library }, wasm] = await Promise.all([
    import('@hyzyla/pdfium'),
    readBoundedWasm('pdfium'),
  ]);
  const wasmBinary = wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength);
  return await Library.init({ wasmBinary });
}
