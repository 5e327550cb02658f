import { basename } from 'node:path';
import { readPicture } from '../../kit/files.ts';
import { adviceOnFormat, pixelFormatOf } from '../../kit/pictures/formats.ts';
import { PictureLimit } from '../../kit/pictures/limits.ts';
import { type DrawnPicture, drawn, type Picture } from '../../kit/pictures/picture.ts';
import { readPackageFile } from '../../kit/program-files.ts';
import type { Card } from '../device-events.ts';
import { readingOf, SimulateError } from '../errors.ts';

const IMAGE_NAME = /\.(png|jpe?g|webp)$/i;

export function isImageName(name: string): boolean {
  return IMAGE_NAME.test(name);
}

/**
 * Reads the QR code of an image file as a device's reader does: with jsQR, and with ZXing where that fails.
 * @throws SimulateError when the file is no readable image or shows no code
 */
export async function readImage(path: string): Promise<Card> {
  const { picture, onBlack } = await pictureIn(path);
  const code = (await codeIn(picture)) ?? (onBlack && (await codeIn(await onBlack())));
  if (code === undefined) {
    throw new SimulateError(`${path}: no QR code was found in this image.`);
  }
  return { code, label: basename(path) };
}

async function pictureIn(path: string): Promise<DrawnPicture> {
  const bytes = await readingOf(path, readPicture);
  const format = pixelFormatOf(bytes);
  if (!format) {
    const advice =
      adviceOnFormat(bytes) ??
      'is not a PNG, JPEG or WebP image. Give a picture of a code, or the code itself';
    throw new SimulateError(`${path} ${advice}.`);
  }
  try {
    return await drawn(() => format.read(bytes));
  } catch (error) {
    const what = error instanceof PictureLimit ? 'is too large to be read' : 'is damaged';
    const why = error instanceof Error ? error.message : String(error);
    throw new SimulateError(`${path} ${what}: ${why}.`, { cause: error });
  }
}

async function codeIn(picture: Picture): Promise<string | undefined> {
  return (await readWithJsqr(picture)) ?? (await readWithZxing(picture));
}

async function readWithJsqr({ data, width, height }: Picture): Promise<string | undefined> {
  // A CommonJS package: bundled, its function is the default export; unbundled, that has a default of its own.
  const { default: imported } = (await import('jsqr')) as unknown as { default: Jsqr };
  const jsqr = imported.default ?? imported;
  return jsqr(data, width, height)?.data || undefined;
}

interface Jsqr {
  (data: Uint8ClampedArray, width: number, height: number): { readonly data: string } | null;
  readonly default?: Jsqr;
}

const PACKAGED = 'zxing-wasm/reader/zxing_reader.wasm';

let reader: ReturnType<typeof load> | undefined;

/** The text of the first QR code in the picture, or undefined when there is none. */
async function readWithZxing(picture: Picture): Promise<string | undefined> {
  reader ??= load();
  const { readBarcodes } = await reader;
  const pixels = { ...picture, colorSpace: 'srgb' as const };
  const results = await readBarcodes(pixels, { formats: ['QRCode'], tryHarder: true });
  return results.find(({ isValid }) => isValid)?.text || undefined;
}

/** The package would fetch its WebAssembly from the network; it gets it from beside the program or its own folder. */
async function load() {
  const zxing = await import('zxing-wasm/reader');
  const wasm = readPackageFile(PACKAGED);
  const wasmBinary = wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength);
  await zxing.prepareZXingModule({ overrides: { wasmBinary }, fireImmediately: true });
  return zxing;
}
