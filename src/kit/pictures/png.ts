import { inflateSync } from 'node:zlib';
import { PNG } from 'pngjs';
import { clamped, PIXELS_MAX, PictureLimit } from './limits.ts';
import type { Picture } from './picture.ts';

/** @throws Error for a damaged image, PictureLimit for one that is too large */
export function readPng(bytes: Buffer<ArrayBuffer>): Picture {
  checkPngSize(bytes);
  const { width, height, data } = parsePng(bytes);
  return { width, height, data: clamped(data) };
}

/** Unpacks a PNG. The package's own message for a file that ends too soon is about its streams. */
function parsePng(bytes: Buffer): PNG {
  try {
    return PNG.sync.read(bytes);
  } catch (error) {
    throw new Error('its data cannot be unpacked; it may be incomplete', { cause: error });
  }
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
 * @throws PictureLimit that says what it claims; Error for what is damaged
 */
export function checkPngSize(bytes: Buffer): void {
  if (bytes.length < HEADER_BYTES) throw new Error('it ends within its header');
  const width = bytes.readUInt32BE(WIDTH_AT);
  const height = bytes.readUInt32BE(HEIGHT_AT);
  if (width * height > PIXELS_MAX) {
    throw new PictureLimit(`it has ${width * height} pixels; the limit is ${PIXELS_MAX}`);
  }
  const bits = (bytes[DEPTH_AT] ?? 0) * (CHANNELS[bytes[COLOUR_AT] ?? 0] ?? 0);
  const unpackedMax = Math.ceil((width * bits) / 8 + 1) * height;
  if (unpackedMax > PIXELS_MAX * 4) {
    throw new PictureLimit(`it has ${unpackedMax} bytes of pixels; the limit is ${PIXELS_MAX * 4}`);
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
