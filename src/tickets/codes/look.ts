import { TicketscanError } from '../../core/errors.ts';
import { type Colour, contrastOf, parseColour } from './colour.ts';
import { ERROR_CORRECTIONS, type ErrorCorrection } from './symbol.ts';

/** How an image looks, as asked for; everything has a default. */
export interface QrOptions {
  /** L, M (default), Q or H. */
  readonly errorCorrection?: string | undefined;
  /** Pixels along one side of a module, 2 to 64; 8 by default. */
  readonly scale?: number | undefined;
  /** Modules of quiet zone on every side, 4 (default) to 64. */
  readonly margin?: number | undefined;
  /** Colour of the dark modules, `#000000` by default. */
  readonly dark?: string | undefined;
  /** Colour of the light modules and of the quiet zone, `#ffffff` by default. */
  readonly light?: string | undefined;
}

/** The same, checked and complete. */
export interface QrLook {
  readonly errorCorrection: ErrorCorrection;
  readonly scale: number;
  readonly margin: number;
  readonly dark: Colour;
  readonly light: Colour;
}

const SCALE = { min: 2, max: 64, default: 8 };
/** ISO/IEC 18004 wants four modules of quiet zone. */
const MARGIN = { min: 4, max: 64, default: 4 };
/** Of the way from black to white. jsqr takes a dark above 0.49 for light; print, glass and dirt take their share. */
const CONTRAST_MIN = 0.55;

/**
 * Checks the options of an image; what would not scan is refused, with the reason.
 * @throws TicketscanError `usage`
 */
export function qrLook(options: QrOptions = {}): QrLook {
  const dark = parseColour(options.dark ?? '#000000', 'dark');
  const light = parseColour(options.light ?? '#ffffff', 'light');
  checkContrast(dark, light);
  return {
    errorCorrection: checkErrorCorrection(options.errorCorrection ?? 'M'),
    scale: checkWhole(options.scale ?? SCALE.default, 'scale', SCALE, 'pixels a module'),
    margin: checkWhole(
      options.margin ?? MARGIN.default,
      'margin',
      MARGIN,
      'modules; readers need a quiet zone of four',
    ),
    dark,
    light,
  };
}

function checkErrorCorrection(text: string): ErrorCorrection {
  const level = ERROR_CORRECTIONS.find((one) => one === text.toUpperCase());
  if (level) return level;
  throw new TicketscanError('usage', `error-correction must be L, M, Q or H, not "${text}".`);
}

function checkWhole(
  value: number,
  name: string,
  { min, max }: { min: number; max: number },
  unit: string,
): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new TicketscanError(
    'usage',
    `${name} must be a whole number from ${min} to ${max} (${unit}), not ${value}.`,
  );
}

function checkContrast(dark: Colour, light: Colour): void {
  const { byEye, byRedLight } = contrastOf(dark, light);
  const pair = `dark ${dark.css} on light ${light.css}`;
  if (byEye < 0) {
    throw new TicketscanError(
      'usage',
      `${pair} is light on dark; many readers cannot read that. Swap the two colours.`,
    );
  }
  const percent = (share: number) => `${Math.round(Math.max(0, share) * 100)} %`;
  if (byEye < CONTRAST_MIN) {
    throw new TicketscanError(
      'usage',
      `${pair} has a contrast of ${percent(byEye)}; readers need ${percent(CONTRAST_MIN)}. Choose a darker dark colour or a lighter light colour.`,
    );
  }
  if (byRedLight < CONTRAST_MIN) {
    throw new TicketscanError(
      'usage',
      `${pair} has a contrast of ${percent(byRedLight)} in the red light that many gate readers use; they need ${percent(CONTRAST_MIN)}. Choose a dark colour without red or a light colour with more red.`,
    );
  }
}
