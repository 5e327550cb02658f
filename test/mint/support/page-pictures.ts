import { readFileSync } from 'node:fs';
import { fromGrey, type Picture } from '../../../src/kit/pictures/picture.ts';
import { drawPdfPages, type GreyPage } from '../../../src/tickets/reading/load-pictures.ts';
import { dotsPerModule, type SheetLayout } from '../../../src/tickets/sheets/layouts.ts';

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
  for await (const page of drawPdfPages(readFileSync(file), MM_PER_POINT / layout.dot)) {
    yield pick(page, dots / PIXELS_PER_MODULE);
  }
}

/** @param step dots from one pixel to the next */
function pick(page: GreyPage, step: number): Picture {
  const width = Math.floor(page.width / step);
  const height = Math.floor(page.height / step);
  const grey = new Uint8Array(width * height);
  for (let row = 0, at = 0; row < height; row += 1) {
    const start = Math.floor((row + 0.5) * step) * page.width;
    for (let column = 0; column < width; column += 1, at += 1) {
      grey[at] = page.data[start + Math.floor((column + 0.5) * step)] as number;
    }
  }
  return fromGrey(grey, width, height);
}
