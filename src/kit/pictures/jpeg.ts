import * as jpeg from 'jpeg-js';
import { clamped, JPEG_MEGAPIXELS_MAX, JPEG_MEMORY_MB_MAX, PictureLimit } from './limits.ts';
import type { Picture } from './picture.ts';

/** @throws Error for a damaged image, PictureLimit for one that is too large */
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
    if (!/limit exceeded/.test(error instanceof Error ? error.message : String(error))) throw error;
    const message = `it has more than ${JPEG_MEGAPIXELS_MAX} megapixels, which is the limit`;
    throw new PictureLimit(message, { cause: error });
  }
}
