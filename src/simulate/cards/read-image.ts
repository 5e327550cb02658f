import { basename } from 'node:path';
import { fileFailure } from '../../kit/failures.ts';
import { readPicture } from '../../kit/files.ts';
import { SimulateError } from '../errors.ts';
import type { Card } from '../scan-attempt.ts';
import { decodePicture, type Picture } from './picture.ts';
import { readWithZxing } from './zxing.ts';

const IMAGE_NAME = /\.(png|jpe?g)$/i;

export function isImageName(name: string): boolean {
  return IMAGE_NAME.test(name);
}

/**
 * Reads the QR code of an image file as a device's reader does: with jsQR, and with ZXing where that fails.
 * @throws SimulateError `usage` when the file is no readable image or shows no code
 */
export async function readImage(path: string): Promise<Card> {
  const picture = await pictureIn(path);
  const code = (await readWithJsqr(picture)) ?? (await readWithZxing(picture));
  if (code === undefined || code === '') {
    throw new SimulateError('usage', `${path}: no QR code was found in this image.`);
  }
  return { code, label: basename(path) };
}

async function pictureIn(path: string): Promise<Picture> {
  const bytes = await Promise.resolve(path)
    .then(readPicture)
    .catch((error: NodeJS.ErrnoException) => {
      throw new SimulateError('usage', `${path} cannot be read: ${fileFailure(error)}.`, {
        cause: error,
      });
    });
  try {
    const picture = decodePicture(bytes);
    if (picture) return picture;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new SimulateError('usage', `${path} is damaged: ${why}.`, { cause: error });
  }
  throw new SimulateError('usage', `${path} is neither a PNG nor a JPEG image.`);
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
