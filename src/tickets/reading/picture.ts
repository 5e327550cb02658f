import { inflateSync } from 'node:zlib';
import * as jpeg from 'jpeg-js';
import { PNG } from 'pngjs';
import { messageOf } from '../../core/errors.ts';

/** Pixels in memory: red, green, blue, opacity, row by row from the top left. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray<ArrayBuffer>;
}

/** A picture of a file, and the page it is when the file has pages. */
export interface PagePicture {
  readonly picture: Picture;
  /** The page, counted from 1; null in a file without pages. */
  readonly page: number | null;
}

/** A rectangle in pixels. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The most pixels: the largest cameras of phones take as many, and each costs some ten bytes while it is read. */
const PIXELS_MAX = 50_000_000;

/** Lays a picture on white: QR readers ignore opacity, and see a transparent background as black. */
export function onWhite(picture: Picture): Picture {
  const { data } = picture;
  for (let at = 0; at < data.length; at += 4) {
    const opacity = data[at + 3] as number;
    if (opacity === 255) continue;
    for (let channel = at; channel < at + 3; channel += 1) {
      data[channel] = 255 + (((data[channel] as number) - 255) * opacity) / 255;
    }
    data[at + 3] = 255;
  }
  return picture;
}

/** The part of `picture` inside `box`; what sticks out is cut off. */
export function crop(picture: Picture, box: Box): Picture {
  const left = Math.max(0, Math.floor(box.left));
  const top = Math.max(0, Math.floor(box.top));
  const width = Math.max(1, Math.min(picture.width, Math.ceil(box.right)) - left);
  const height = Math.max(1, Math.min(picture.height, Math.ceil(box.bottom)) - top);
  const data = new Uint8ClampedArray(width * height * 4);
  for (let row = 0; row < height; row += 1) {
    const from = ((top + row) * picture.width + left) * 4;
    data.set(picture.data.subarray(from, from + width * 4), row * width * 4);
  }
  return { width, height, data };
}

/** Every pixel `times` times in both directions: readers miss codes of one or two pixels a module. */
export function enlarge(picture: Picture, times: number): Picture {
  const width = picture.width * times;
  const height = picture.height * times;
  const from = new Uint32Array(picture.data.buffer, picture.data.byteOffset);
  const to = new Uint32Array(width * height);
  for (let row = 0, at = 0; row < height; row += 1) {
    const start = Math.floor(row / times) * picture.width;
    for (let column = 0; column < width; column += 1, at += 1) {
      to[at] = from[start + Math.floor(column / times)] as number;
    }
  }
  return { width, height, data: new Uint8ClampedArray(to.buffer) };
}

/** Makes a picture from one byte a pixel. */
export function fromGrey(grey: Uint8Array, width: number, height: number): Picture {
  const pixels = new Uint32Array(width * height);
  for (let at = 0; at < pixels.length; at += 1) {
    pixels[at] = (0xff000000 | ((grey[at] as number) * 0x010101)) >>> 0;
  }
  return { width, height, data: new Uint8ClampedArray(pixels.buffer) };
}

/** Its reader takes some twenty bytes for each. */
const JPEG_MEGAPIXELS_MAX = 25;
const JPEG_MEMORY_MB_MAX = 512;

/** @throws Error for a damaged or gigantic image */
export function readPng(bytes: Buffer<ArrayBuffer>): Picture {
  checkPngSize(bytes);
  const { width, height, data } = parsePng(bytes);
  return onWhite({ width, height, data: clamped(data) });
}

/** Unpacks a PNG. The package's own message for a file that ends too soon is about its streams. */
function parsePng(bytes: Buffer): PNG {
  try {
    return PNG.sync.read(bytes);
  } catch (error) {
    throw new Error('its data cannot be unpacked; it may be incomplete', { cause: error });
  }
}

/** @throws Error for a damaged or gigantic image */
export function readJpeg(bytes: Buffer<ArrayBuffer>): Picture {
  const { width, height, data } = parseJpeg(bytes);
  return { width, height, data: clamped(data) };
}

function parseJpeg(bytes: Buffer) {
  try {
    return jpeg.decode(bytes, {
      useTArray: true,
      formatAsRGBA: true,
      maxResolutionInMP: JPEG_MEGAPIXELS_MAX,
      maxMemoryUsageInMB: JPEG_MEMORY_MB_MAX,
    });
  } catch (error) {
    if (!/limit exceeded/.test(messageOf(error))) throw error;
    const message = `it has more than ${JPEG_MEGAPIXELS_MAX} megapixels, which is the limit`;
    throw new Error(message, { cause: error });
  }
}

function clamped(bytes: Uint8Array): Uint8ClampedArray<ArrayBuffer> {
  return new Uint8ClampedArray(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength);
}

const SIGNATURE_BYTES = 8;
/** Length, type and checksum of a chunk. */
const FRAME_BYTES = 12;
const WIDTH_AT = 16;
const HEIGHT_AT = 20;
const DEPTH_AT = 24;
const COLOUR_AT = 25;
const INTERLACE_AT = 28;
const HEADER_BYTES = 33;
/** Samples of a pixel by the colour type. */
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** Each of the seven passes of an interlaced picture begins every row anew; small ones have more rows than pixels. */
const ROWS_OF_PASSES = 2;

/**
 * Refuses a PNG that would take more memory than its kind of picture may.
 * @throws Error that says what it claims
 */
export function checkPngSize(bytes: Buffer): void {
  if (bytes.length < HEADER_BYTES) throw new Error('it ends within its header');
  const width = bytes.readUInt32BE(WIDTH_AT);
  const height = bytes.readUInt32BE(HEIGHT_AT);
  if (width * height > PIXELS_MAX) {
    throw new Error(`it has ${width * height} pixels; the limit is ${PIXELS_MAX}`);
  }
  const bits = (bytes[DEPTH_AT] ?? 0) * (CHANNELS[bytes[COLOUR_AT] ?? 0] ?? 0);
  const unpackedMax = Math.ceil((width * bits) / 8 + 1) * height;
  if (unpackedMax > PIXELS_MAX * 4) {
    throw new Error(`it has ${unpackedMax} bytes of pixels; the limit is ${PIXELS_MAX * 4}`);
  }
  const data = dataOf(bytes);
  // Its reader bounds what it unpacks only where rows follow each other.
  if (bytes[INTERLACE_AT] === 1) unpack(data, unpackedMax * ROWS_OF_PASSES + FRAME_BYTES * 8);
}

/** The packed pixels. A second header would let the first say what it likes. */
function dataOf(bytes: Buffer): Buffer {
  const data: Buffer[] = [];
  for (let at = SIGNATURE_BYTES; at + FRAME_BYTES <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (type === 'IHDR' && at > SIGNATURE_BYTES) throw new Error('it has two headers');
    if (type === 'IDAT') data.push(bytes.subarray(at + 8, at + 8 + length));
    at += FRAME_BYTES + length;
  }
  return Buffer.concat(data);
}

function unpack(data: Buffer, bytesMax: number): void {
  try {
    inflateSync(data, { maxOutputLength: bytesMax });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') throw error;
    throw new Error('it unpacks to more than its size allows', { cause: error });
  }
}
