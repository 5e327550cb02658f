import { readFileSync } from 'node:fs';
import { readPdfPages } from '../../../src/mint/read/pdf.ts';
import type { Picture } from '../../../src/mint/read/picture.ts';
import type { SheetLayout } from '../../../src/mint/sheet/layouts.ts';
import { dotsPerModule } from '../../../src/mint/sheet/raster.ts';

const MM_PER_POINT = 25.4 / 72;
/** Fewer pixels a module are read by some decoders only; more cost time. */
const PIXELS_PER_MODULE = 3;

/**
 * The pages of a sheet as a printer sets them, dot by dot, and then made smaller by picking dots: the codes keep sharp
 * edges, and a page of ten codes is read in the time of one large picture.
 * @param modules along one side of a code, with its quiet zone
 */
export async function* pagePictures(
  file: string,
  layout: SheetLayout,
  modules: number,
): AsyncGenerator<Picture> {
  const dots = dotsPerModule(layout, modules);
  for await (const { picture } of readPdfPages(readFileSync(file), MM_PER_POINT / layout.dot)) {
    yield pick(picture, dots / PIXELS_PER_MODULE);
  }
}

/** @param step dots from one pixel to the next */
function pick({ width, height, data }: Picture, step: number): Picture {
  const from = new Uint32Array(data.buffer, data.byteOffset);
  const size = { width: Math.floor(width / step), height: Math.floor(height / step) };
  const to = new Uint32Array(size.width * size.height);
  for (let row = 0, at = 0; row < size.height; row += 1) {
    const start = Math.floor((row + 0.5) * step) * width;
    for (let column = 0; column < size.width; column += 1, at += 1) {
      to[at] = from[start + Math.floor((column + 0.5) * step)] as number;
    }
  }
  return { ...size, data: new Uint8ClampedArray(to.buffer) };
}
