import { PNG } from 'pngjs';
import { messageOf, refuse } from '../../core/errors.ts';
import { LOGO_BYTES_MAX, LOGO_SIDE_PIXELS_MAX } from '../../core/limits.ts';
import { readPicture } from '../../kit/files.ts';
import { adviceOnFormat } from '../../kit/pictures/formats.ts';
import { checkPngSize } from '../../kit/pictures/png.ts';
import { forFile } from '../files.ts';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const WIDTH_AT = 16;
const HEIGHT_AT = 20;
const HEADER_BYTES = 33;

/**
 * A logo to print: a PNG of at most `LOGO_BYTES_MAX` bytes and `LOGO_SIDE_PIXELS_MAX` pixels a side, decoded once to be sure of it.
 * No SVG: a sanitiser would have to follow its scripts, references and fonts for ever.
 * @returns its pixels as a plain PNG, without any other data of the given one @throws TicketscanError `usage`
 */
export function readLogo(bytes: Buffer): Buffer {
  if (!bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE)) {
    const advice = adviceOnFormat(bytes);
    throw logoRefused('logo_not_png', advice && `It ${advice}.`);
  }
  if (bytes.length > LOGO_BYTES_MAX) {
    throw logoRefused('logo_too_large', `It has ${bytes.length} bytes.`);
  }
  if (bytes.length < HEADER_BYTES) throw logoRefused('logo_damaged');
  const [width, height] = [bytes.readUInt32BE(WIDTH_AT), bytes.readUInt32BE(HEIGHT_AT)];
  if (Math.max(width, height) > LOGO_SIDE_PIXELS_MAX) {
    throw logoRefused('logo_too_large', `It has ${width} × ${height} pixels.`);
  }
  try {
    checkPngSize(bytes);
    return PNG.sync.write(PNG.sync.read(bytes));
  } catch (error) {
    throw logoRefused('logo_damaged', `It cannot be read: ${messageOf(error)}.`);
  }
}

/** Reads a logo from a file, like `readLogo`. @throws TicketscanError `usage` */
export function readLogoFile(file: string): Buffer {
  return readLogo(forFile(file, () => readPicture(file)));
}

function logoRefused(reason: 'logo_not_png' | 'logo_too_large' | 'logo_damaged', detail?: string) {
  const values = { kibibytes: LOGO_BYTES_MAX / 1024, pixels: LOGO_SIDE_PIXELS_MAX };
  return refuse(reason, values, { detail });
}
