import { toTerminal, toText } from './characters.ts';
import { type QrOptions, qrLook } from './look.ts';
import { toPng } from './png.ts';
import { toSvg } from './svg.ts';
import { encodeQr } from './symbol.ts';

/** `png` is an image in bytes; `svg`, `terminal` (with colours) and `text` (without) are texts. */
export type QrFormat = 'png' | 'svg' | 'terminal' | 'text';

/**
 * Draws `text`, for example a ticket code, as a QR code.
 * @param options `format` and how it looks, see {@link QrOptions}
 * @returns bytes for `png`, a text otherwise
 * @throws TicketscanError `usage` for options that would not scan, an empty text and one that is too long
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
  const look = qrLook(options);
  const symbol = encodeQr(text, look.errorCorrection);
  switch (options.format) {
    case 'png':
      return toPng(symbol, look);
    case 'svg':
      return toSvg(symbol, look);
    case 'terminal':
      return toTerminal(symbol, look);
    case 'text':
      return toText(symbol, look);
  }
}
