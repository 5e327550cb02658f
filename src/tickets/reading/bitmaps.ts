import * as jpeg from 'jpeg-js';
import { PNG } from 'pngjs';
import { messageOf } from '../../core/errors.ts';
import { onWhite, type Picture } from './picture.ts';
import { checkPngSize } from './png-size.ts';

/** Its reader takes some twenty bytes for each. */
const JPEG_MEGAPIXELS_MAX = 25;
const JPEG_MEMORY_MB_MAX = 512;

/** @throws Error for a damaged or gigantic image */
export function readPng(bytes: Buffer<ArrayBuffer>): Picture {
  checkPngSize(bytes);
  const { width, height, data } = parsePng(bytes);
  return onWhite({ width, height, data: clamped(data) });
}

/** For a file that ends too soon the message of the package is about its own streams. */
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
