import type { PDFiumLibrary } from '@hyzyla/pdfium';
import { readBoundedWasm } from './bounded-wasm.ts';
import { fromGrey, type PagePicture } from './picture.ts';

/** Pixels per point (1/72 inch): 216 dots an inch give a module of a 15 mm code three pixels. */
const SCALE = 3;
/** A poster is drawn smaller, so that one page stays within a few hundred megabytes. */
const SIDE_PIXELS_MAX = 7000;

let library: Promise<PDFiumLibrary> | undefined;

/** A page in shades of grey, a byte a pixel. */
export interface GreyPage {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
  /** From 1. */
  readonly page: number;
}

/** Draws page after page for a decoder. */
export async function* readPdfPages(bytes: Buffer<ArrayBuffer>): AsyncGenerator<PagePicture> {
  for await (const { data, width, height, page } of drawPdfPages(bytes, SCALE)) {
    yield { picture: fromGrey(data, width, height), page };
  }
}

/** @param pixelsPerPoint a point is 1/72 inch; a page that would get too large is drawn smaller */
export async function* drawPdfPages(
  bytes: Buffer<ArrayBuffer>,
  pixelsPerPoint: number,
): AsyncGenerator<GreyPage> {
  library ??= loadLibrary();
  const document = await (await library).loadDocument(bytes);
  let isWhole = false;
  try {
    for (const page of document.pages()) {
      const { originalWidth, originalHeight } = page.getOriginalSize();
      const side = Math.max(originalWidth, originalHeight, 1);
      const scale = Math.min(pixelsPerPoint, SIDE_PIXELS_MAX / side);
      const { data, width, height } = await page.render({
        // The package would cut the page to whole points first, and so draw it a little too large.
        width: Math.max(1, Math.round(originalWidth * scale)),
        height: Math.max(1, Math.round(originalHeight * scale)),
        colorSpace: 'Gray',
        render: 'bitmap',
      });
      yield { data, width, height, page: page.number + 1 };
    }
    isWhole = true;
  } finally {
    if (isWhole) document.destroy();
    // After a failure its memory may be full or in disorder: the next file gets a new one.
    else library = undefined;
  }
}

async function loadLibrary(): Promise<PDFiumLibrary> {
  const [{ PDFiumLibrary: Library }, wasm] = await Promise.all([
    import('@hyzyla/pdfium'),
    readBoundedWasm('pdfium'),
  ]);
  const wasmBinary = wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength);
  return await Library.init({ wasmBinary });
}
