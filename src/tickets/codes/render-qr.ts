import { crc32, deflateSync } from 'node:zlib';
import { TicketscanError } from '../../core/errors.ts';
import { MODULE_PIXELS } from '../../core/limits.ts';
import { barsOf, encodeQr, type QrSymbol, QUIET_ZONE } from './symbol.ts';

/** The options of an image. */
export interface QrOptions {
  /** Pixels along one side of a module, 2 to 64; 8 by default. Without meaning for texts. */
  readonly scale?: number | undefined;
}

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
  const scale = checkedScale(options.scale ?? MODULE_PIXELS.default);
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
  const { min, max } = MODULE_PIXELS;
  if (Number.isInteger(scale) && scale >= min && scale <= max) return scale;
  throw new TicketscanError(
    'usage',
    `scale must be a whole number from ${min} to ${max} (pixels a module), not ${scale}.`,
  );
}

/** The character cells by their upper and lower half: which of the two is dark. */
const HALF_BLOCKS = [' ', '▄', '▀', '█'] as const;
/** Black on white whatever the colours of the terminal are: a code with light and dark swapped does not scan everywhere. */
const BLACK_ON_WHITE = '\u001b[38;5;16;48;5;231m';
const RESET = '\u001b[0m';

/** The symbol in half blocks for a page that is light: two modules a character, dark ones printed. */
function toText(symbol: QrSymbol): string {
  return lines(symbol)
    .map((line) => `${line}\n`)
    .join('');
}

/** Draws a symbol with colours, for a terminal with any background. */
function toTerminal(symbol: QrSymbol): string {
  return lines(symbol)
    .map((line) => `${BLACK_ON_WHITE}${line}${RESET}\n`)
    .join('');
}

function lines({ size, modules }: QrSymbol): string[] {
  const isDark = (row: number, column: number): number =>
    row >= 0 && row < size && column >= 0 && column < size
      ? (modules[row * size + column] as number)
      : 0;
  const all: string[] = [];
  for (let row = -QUIET_ZONE; row < size + QUIET_ZONE; row += 2) {
    let line = '';
    for (let column = -QUIET_ZONE; column < size + QUIET_ZONE; column += 1) {
      line += HALF_BLOCKS[isDark(row, column) * 2 + isDark(row + 1, column)];
    }
    all.push(line);
  }
  return all;
}

/** One path of horizontal bars on a rectangle: sharp at every size, readable by any SVG renderer. */
export function toSvg(symbol: QrSymbol, scale: number): string {
  const side = symbol.size + 2 * QUIET_ZONE;
  const pixels = side * scale;
  let bars = '';
  for (const { row, column, length } of barsOf(symbol)) {
    bars += `M${column + QUIET_ZONE} ${row + QUIET_ZONE}h${length}v1h-${length}z`;
  }
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${pixels}" height="${pixels}" ` +
    `viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges">` +
    `<path fill="#ffffff" d="M0 0h${side}v${side}h-${side}z"/>` +
    `<path fill="#000000" d="${bars}"/></svg>\n`
  );
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const COLOUR_TYPE_PALETTE = 3;
/** Index 0 is white, index 1 black. */
const PALETTE = Buffer.from([255, 255, 255, 0, 0, 0]);
const END = chunk('IEND', Buffer.alloc(0));

/**
 * A PNG of one bit a pixel: a fifth of the size and a twentieth of the time of one with full colour.
 * @param scale pixels along one side of a module
 */
export function toPng(symbol: QrSymbol, scale: number): Buffer {
  const pixels = (symbol.size + 2 * QUIET_ZONE) * scale;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(pixels, 0);
  header.writeUInt32BE(pixels, 4);
  header[8] = 1;
  header[9] = COLOUR_TYPE_PALETTE;
  // A low level and little memory: setting zlib up costs more than squeezing a few thousand bits.
  const data = deflateSync(scanlines(symbol, scale, pixels), { level: 3, memLevel: 4 });
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', PALETTE),
    chunk('IDAT', data),
    END,
  ]);
}

/** The rows of pixels, each with its filter byte (0, none) in front. */
function scanlines({ size, modules }: QrSymbol, scale: number, pixels: number): Buffer {
  const rowBytes = 1 + Math.ceil(pixels / 8);
  const rows = Buffer.alloc(rowBytes * pixels);
  for (let row = 0; row < size; row += 1) {
    const first = (row + QUIET_ZONE) * scale * rowBytes;
    for (let column = 0; column < size; column += 1) {
      if (modules[row * size + column] === 1) {
        setBits(rows, (first + 1) * 8 + (column + QUIET_ZONE) * scale, scale);
      }
    }
    for (let copy = 1; copy < scale; copy += 1) {
      rows.copyWithin(first + copy * rowBytes, first, first + rowBytes);
    }
  }
  return rows;
}

function setBits(target: Buffer, start: number, count: number): void {
  for (let bit = start; bit < start + count; bit += 1) {
    const byte = bit >> 3;
    target[byte] = (target[byte] as number) | (0x80 >> (bit & 7));
  }
}

function chunk(type: string, data: Buffer): Buffer {
  const bytes = Buffer.alloc(12 + data.length);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(type, 4, 'latin1');
  data.copy(bytes, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
  return bytes;
}
