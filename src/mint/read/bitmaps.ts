import * as jpeg from 'jpeg-js';
import { PNG } from 'pngjs';
import { onWhite, PIXELS_MAX, type Picture } from './picture.ts';

const WIDTH_AT = 16;
const HEIGHT_AT = 20;
const JPEG_MEMORY_MB_MAX = 1024;

/** @throws Error for a damaged or gigantic image */
export function readPng(bytes: Buffer<ArrayBuffer>): Picture {
  if (bytes.length < HEIGHT_AT + 4) throw new Error('it ends within its header');
  const pixels = bytes.readUInt32BE(WIDTH_AT) * bytes.readUInt32BE(HEIGHT_AT);
  if (pixels > PIXELS_MAX) throw new Error(`it claims ${pixels} pixels`);
  const { width, height, data } = parsePng(bytes);
  return onWhite({ width, height, data: clamped(data) });
}

/** Of a file that ends too soon the package tells about its own streams. */
function parsePng(bytes: Buffer): PNG {
  try {
    return PNG.sync.read(bytes);
  } catch (error) {
    throw new Error('its data cannot be unpacked; it may have been cut off', { cause: error });
  }
}

/** @throws Error for a damaged or gigantic image */
export function readJpeg(bytes: Buffer<ArrayBuffer>): Picture {
  const { width, height, data } = jpeg.decode(bytes, {
    useTArray: true,
    formatAsRGBA: true,
    maxResolutionInMP: PIXELS_MAX / 1_000_000,
    maxMemoryUsageInMB: JPEG_MEMORY_MB_MAX,
  });
  return { width, height, data: clamped(data) };
}

function clamped(bytes: Uint8Array): Uint8ClampedArray<ArrayBuffer> {
  return new Uint8ClampedArray(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength);
}
