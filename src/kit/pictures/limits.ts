/**
 * How large a picture may be, the same for every command that reads one. What is larger is not damaged: `PictureLimit` tells the two
 * apart.
 */

/** The most pixels: the largest cameras of phones take as many, and each costs some ten bytes while it is read. */
export const PIXELS_MAX = 50_000_000;

/** The reader of JPEG takes some twenty bytes for each pixel. */
export const JPEG_MEGAPIXELS_MAX = 25;
export const JPEG_MEMORY_MB_MAX = 512;

/** A picture that may be whole, and is too much to read. The message says of what, and how much may be. */
export class PictureLimit extends Error {
  override readonly name = 'PictureLimit';
}

/** The same bytes, for what works with pixels. */
export function clamped(bytes: Uint8Array): Uint8ClampedArray<ArrayBuffer> {
  return new Uint8ClampedArray(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength);
}
