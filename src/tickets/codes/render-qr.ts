import { TicketscanError } from '../../core/errors.ts';
import { toTerminal, toText } from './characters.ts';
import { toPng } from './png.ts';
import { toSvg } from './svg.ts';
import { encodeQr } from './symbol.ts';

/** How an image looks. */
export interface QrOptions {
  /** Pixels along one side of a module, 2 to 64; 8 by default. Without meaning for texts. */
  readonly scale?: number | undefined;
}

const SCALE = { min: 2, max: 64, default: 8 };

/** `png` is an image in bytes; `svg`, `terminal` (with colours) and `text` (without) are texts. */
export type QrFormat = 'png' | 'svg' | 'terminal' | 'text';

/**
 * Draws `text`, for example a ticket code, as a QR code.
 * @param options `format` and how it looks, see {@link QrOptions}
 * @returns bytes for `png`, a text otherwise
 * @throws TicketscanError `usage` for a scale out of its range, an empty text and one that is too long
 */
export function renderQr(text: string, options: QrOptions & { readonly format: 'png' }): Buffer;
export function renderQr(
  text: string,
  options: QrOptions & { readonly format: Exclude<QrFormat, 'png'> },
): string;
export function renderQr(
  text: string,
  options: QrOptions & { readonly format: QrFormat },
): Buffer | string;
export function renderQr(
  text: string,
  options: QrOptions & { readonly format: QrFormat },
): Buffer | string {
  const scale = checkedScale(options.scale ?? SCALE.default);
  const symbol = encodeQr(text);
  switch (options.format) {
    case 'png':
      return toPng(symbol, scale);
    case 'svg':
      return toSvg(symbol, scale);
    case 'terminal':
      return toTerminal(symbol);
    case 'text':
      return toText(symbol);
  }
}

/** @throws TicketscanError `usage` */
export function checkedScale(scale: number): number {
  const { min, max } = SCALE;
  if (Number.isInteger(scale) && scale >= min && scale <= max) return scale;
  throw new TicketscanError(
    'usage',
    `scale must be a whole number from ${min} to ${max} (pixels a module), not ${scale}.`,
  );
}
