import { decode as decodeJpeg } from 'jpeg-js';
import { PNG } from 'pngjs';

/** Pixels, four bytes each: red, green, blue, alpha. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray<ArrayBuffer>;
}

const MEGAPIXELS_MAX = 50;
const MEMORY_MAX_MB = 512;

/** The picture in the bytes of a PNG or JPEG file, on white where it is transparent; undefined for other formats. */
export function decodePicture(bytes: Buffer): Picture | undefined {
  if (bytes.subarray(0, 8).toString('latin1') === '\x89PNG\r\n\x1a\n') return decodePng(bytes);
  if (bytes[0] === 0xff && bytes[1] === 0xd8) {
    const limits = { maxResolutionInMP: MEGAPIXELS_MAX, maxMemoryUsageInMB: MEMORY_MAX_MB };
    const { width, height, data } = decodeJpeg(bytes, { useTArray: true, ...limits });
    return { width, height, data: new Uint8ClampedArray(data) };
  }
  return undefined;
}

function decodePng(bytes: Buffer): Picture {
  const width = bytes.readUInt32BE(16);
  const height = bytes.readUInt32BE(20);
  if (width * height > MEGAPIXELS_MAX * 1e6) {
    throw new RangeError(`it has more than ${MEGAPIXELS_MAX} megapixels`);
  }
  const png = PNG.sync.read(bytes);
  const data = new Uint8ClampedArray(png.data);
  for (let at = 0; at < data.length; at += 4) {
    const alpha = data[at + 3] ?? 255;
    if (alpha === 255) continue;
    for (let channel = at; channel < at + 3; channel += 1) {
      data[channel] = 255 + (((data[channel] ?? 0) - 255) * alpha) / 255;
    }
    data[at + 3] = 255;
  }
  return { width: png.width, height: png.height, data };
}
