import type { PDFiumLibrary } from '@hyzyla/pdfium';
import { readAsset } from '../asset.ts';
import { fromGrey, type PagePicture } from './picture.ts';

/** Pixels per point (1/72 inch): 216 dots an inch give a module of a 15 mm code three pixels. */
const SCALE = 3;
/** A poster is drawn smaller, so that one page stays within a few hundred megabytes. */
const SIDE_PIXELS_MAX = 8000;

let library: Promise<PDFiumLibrary> | undefined;

/** Draws page after page. */
export async function* readPdfPages(bytes: Buffer<ArrayBuffer>): AsyncGenerator<PagePicture> {
  library ??= loadLibrary();
  const document = await (await library).loadDocument(bytes);
  try {
    for (const page of document.pages()) {
      const { originalWidth, originalHeight } = page.getOriginalSize();
      const scale = Math.min(SCALE, SIDE_PIXELS_MAX / Math.max(originalWidth, originalHeight, 1));
      const drawn = await page.render({ scale, colorSpace: 'Gray', render: 'bitmap' });
      yield { picture: fromGrey(drawn.data, drawn.width, drawn.height), page: page.number + 1 };
    }
  } finally {
    document.destroy();
  }
}

async function loadLibrary(): Promise<PDFiumLibrary> {
  const [{ PDFiumLibrary: Library }, wasm] = await Promise.all([
    import('@hyzyla/pdfium'),
    readAsset('pdfium'),
  ]);
  const wasmBinary = wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength);
  return await Library.init({ wasmBinary });
}
