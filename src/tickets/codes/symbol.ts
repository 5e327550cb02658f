import { create } from 'qrcode';
import { TicketscanError } from '../../core/errors.ts';
import { bestMask } from './mask.ts';

/** How much of a symbol may be damaged: L 7 %, M 15 %, Q 25 %, H 30 %. */
export const ERROR_CORRECTIONS = ['L', 'M', 'Q', 'H'] as const;
export type ErrorCorrection = (typeof ERROR_CORRECTIONS)[number];

/** A QR code as squares, without its quiet zone. */
export interface QrSymbol {
  /** Modules (squares) along one side: 17 + 4 × version. */
  readonly size: number;
  /** Row by row, 1 is dark. */
  readonly modules: Uint8Array;
  readonly version: number;
  readonly errorCorrection: ErrorCorrection;
  readonly mask: number;
}

/** What of the alphanumeric mode fits; such a text is shorter in a mode other than bytes. */
const COMPACTABLE = /^[0-9A-Z $%*+\-./:]*$/;
const BROKEN_VERSION = 23;

/**
 * Encodes `text` in the smallest version that holds it.
 *
 * Version 23 at level L is skipped: jsqr, which many web scanners use, has a wrong block table for it and reads none.
 *
 * @throws TicketscanError `usage` for an empty text, and for one that no QR code holds
 */
export function encodeQr(text: string, errorCorrection: ErrorCorrection): QrSymbol {
  if (text === '') throw new TicketscanError('usage', 'An empty text cannot be a QR code.');
  const first = createWithMaskZero(text, errorCorrection);
  const { modules: drawn, version } =
    errorCorrection === 'L' && first.version === BROKEN_VERSION
      ? createWithMaskZero(text, errorCorrection, BROKEN_VERSION + 1)
      : first;
  const { size, data, reservedBit } = drawn;
  const { mask, modules } = bestMask(data, reservedBit, size, errorCorrection);
  return { size, modules, version, errorCorrection, mask };
}

/** The library's own choice of a mask takes four fifths of its time, so the mask is ours; see mask.ts. */
function createWithMaskZero(text: string, errorCorrectionLevel: ErrorCorrection, version?: number) {
  // One segment of bytes saves the search for the best mix of modes, which a mixed-case text does not gain from.
  const data = COMPACTABLE.test(text)
    ? text
    : [{ mode: 'byte' as const, data: new TextEncoder().encode(text) }];
  try {
    return create(data, {
      errorCorrectionLevel,
      maskPattern: 0,
      ...(version === undefined ? {} : { version }),
    });
  } catch (error) {
    throw new TicketscanError(
      'usage',
      `A text of ${text.length} characters is too long for a QR code at level ${errorCorrectionLevel}.`,
      { cause: error },
    );
  }
}
