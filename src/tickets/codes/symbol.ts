import { create } from 'qrcode';
import { TicketscanError } from '../../core/errors.ts';
import { bestMask } from './mask.ts';

/** A seventh of a symbol may be damaged. */
const ERROR_CORRECTION = 'M';
/** Modules around a symbol that stay light: ISO/IEC 18004 wants four. */
export const QUIET_ZONE = 4;

/** A QR code as squares, without its quiet zone. */
export interface QrSymbol {
  /** Modules (squares) along one side: 17 + 4 × version. */
  readonly size: number;
  /** Row by row, 1 is dark. */
  readonly modules: Uint8Array;
  readonly version: number;
  readonly mask: number;
}

/** What of the alphanumeric mode fits; such a text is shorter in a mode other than bytes. */
const COMPACTABLE = /^[0-9A-Z $%*+\-./:]*$/;

/**
 * Encodes `text` in the smallest version that holds it.
 * @throws TicketscanError `usage` for an empty text, and for one that no QR code holds
 */
export function encodeQr(text: string): QrSymbol {
  if (text === '') throw new TicketscanError('usage', 'An empty text cannot be a QR code.');
  const { modules: drawn, version } = createWithMaskZero(text);
  const { size, data, reservedBit } = drawn;
  const { mask, modules } = bestMask(data, reservedBit, size);
  return { size, modules, version, mask };
}

/** The library's own choice of a mask takes four fifths of its time, so the mask is ours; see mask.ts. */
function createWithMaskZero(text: string) {
  // One segment of bytes saves the search for the best mix of modes, which a mixed-case text does not gain from.
  const data = COMPACTABLE.test(text)
    ? text
    : [{ mode: 'byte' as const, data: new TextEncoder().encode(text) }];
  try {
    return create(data, { errorCorrectionLevel: ERROR_CORRECTION, maskPattern: 0 });
  } catch (error) {
    throw new TicketscanError(
      'usage',
      `A text of ${text.length} characters is too long for a QR code.`,
      { cause: error },
    );
  }
}

/** Dark modules next to each other in one row. */
export interface Bar {
  readonly row: number;
  readonly column: number;
  readonly length: number;
}

/** The dark modules of a symbol as the longest horizontal bars, for formats that draw shapes. */
export function barsOf({ size, modules }: QrSymbol): Bar[] {
  const bars: Bar[] = [];
  for (let row = 0; row < size; row += 1) {
    let start = -1;
    for (let column = 0; column <= size; column += 1) {
      const dark = column < size && modules[row * size + column] === 1;
      if (dark && start < 0) start = column;
      if (!dark && start >= 0) {
        bars.push({ row, column: start, length: column - start });
        start = -1;
      }
    }
  }
  return bars;
}
