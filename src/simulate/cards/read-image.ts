import { basename } from 'node:path';
import { decode as decodeJpeg } from 'jpeg-js';
import { PNG } from 'pngjs';
import { readPicture } from '../../kit/files.ts';
import { readPackageFile } from '../../kit/program-files.ts';
import type { Card } from '../device-events.ts';
import { readingOf, SimulateError } from '../errors.ts';

const IMAGE_NAME = /\.(png|jpe?g)$/i;

export function isImageName(name: string): boolean {
  return IMAGE_NAME.test(name);
}

/**
 * Reads the QR code of an image file as a device's reader does: with jsQR, and with ZXing where that fails.
 * @throws SimulateError when the file is no readable image or shows no code
 */
export async function readImage(path: string): Promise<Card> {
  const picture = await pictureIn(path);
  const code = (await readWithJsqr(picture)) ?? (await readWithZxing(picture));
  if (code === undefined || code === '') {
    throw new SimulateError(`${path}: no QR code was found in this image.`);
  }
  return { code, label: basename(path) };
}

async function pictureIn(path: string): Promise<Picture> {
  const bytes = await readingOf(path, readPicture);
  try {
    const picture = decodePicture(bytes);
    if (picture) return picture;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new SimulateError(`${path} is damaged: ${why}.`, { cause: error });
  }
  throw new SimulateError(`${path} is neither a PNG nor a JPEG image.`);
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

/** Pixels, four bytes each: red, green, blue, alpha. */
interface Picture {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray<ArrayBuffer>;
}

const MEGAPIXELS_MAX = 50;
const MEMORY_MAX_MB = 512;

/** The picture in the bytes of a PNG or JPEG file, on white where it is transparent; undefined for other formats. */
function decodePicture(bytes: Buffer): Picture | undefined {
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

const PACKAGED = 'zxing-wasm/reader/zxing_reader.wasm';

let reader: ReturnType<typeof load> | undefined;

/** The text of the first QR code in the picture, or undefined when there is none. */
async function readWithZxing(picture: Picture): Promise<string | undefined> {
  reader ??= load();
  const { readBarcodes } = await reader;
  const pixels = { ...picture, colorSpace: 'srgb' as const };
  const results = await readBarcodes(pixels, { formats: ['QRCode'], tryHarder: true });
  return results.find(({ isValid }) => isValid)?.text;
}

/** The package would fetch its WebAssembly from the network; it gets it from beside the program or its own folder. */
async function load() {
  const zxing = await import('zxing-wasm/reader');
  const wasm = readPackageFile(PACKAGED);
  const wasmBinary = wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength);
  await zxing.prepareZXingModule({ overrides: { wasmBinary }, fireImmediately: true });
  return zxing;
}
