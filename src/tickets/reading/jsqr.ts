import jsqr from 'jsqr';
import type { Picture } from './picture.ts';

/** The text of the one QR code in the picture; undefined when this decoder finds none. */
export function readWithJsqr({ data, width, height }: Picture): string | undefined {
  try {
    return jsqr.default(data, width, height)?.data;
  } catch {
    // It throws on some pictures that hold no code, for example on an index outside a very small one.
    return undefined;
  }
}
