import { readBoundedWasm } from './bounded-wasm.ts';
import { onWhite, type Picture } from './picture.ts';

/** A file says nothing certain about how large it will be shown. */
const WIDTH_PIXELS = 600;
/** Room for a strip of labels; a picture that is higher is a mistake or an attack on memory. */
const HEIGHT_PIXELS_MAX = 24_000;

let library: ReturnType<typeof loadLibrary> | undefined;

/**
 * Draws an SVG in a given width in pixels. Nothing it refers to is fetched, and its texts are left out.
 * @throws Error for one that is far too high, or takes too much memory
 */
export async function readSvg(
  bytes: Buffer<ArrayBuffer>,
  widthPixels: number = WIDTH_PIXELS,
): Promise<Picture> {
  library ??= loadLibrary();
  const { Resvg } = await library;
  const svg = new Resvg(bytes, { fitTo: { mode: 'width', value: widthPixels } });
  const times = svg.height / svg.width;
  if (!(times * widthPixels <= HEIGHT_PIXELS_MAX)) {
    svg.free();
    throw new Error(`it is ${Math.round(times)} times as high as it is wide; cut it into pieces`);
  }
  const image = svg.render();
  const { width, height } = image;
  const picture = onWhite({ width, height, data: new Uint8ClampedArray(image.pixels) });
  // Memory of WebAssembly is not the garbage collector's.
  image.free();
  svg.free();
  return picture;
}

async function loadLibrary() {
  const [resvg, wasm] = await Promise.all([import('@resvg/resvg-wasm'), readBoundedWasm('resvg')]);
  await resvg.initWasm(wasm);
  return resvg;
}
