import { TicketscanError } from '../../core/errors.ts';

/** An opaque colour. */
export interface Colour {
  /** Red, green and blue, 0 to 255. */
  readonly rgb: readonly [number, number, number];
  /** `#rrggbb`. */
  readonly css: string;
}

const HEX = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i;

/**
 * Reads `#rgb` or `#rrggbb`. A colour with transparency is refused: what shows through is unknown, and readers fail on it.
 * @param name of the option, for the message
 * @throws TicketscanError `usage`
 */
export function parseColour(text: string, name: string): Colour {
  if (!HEX.test(text)) {
    throw new TicketscanError(
      'usage',
      `${name} must be a colour such as #000000 or #fff, without transparency, not "${text}".`,
    );
  }
  const digits = text.length === 4 ? text.replace(/[0-9a-f]/gi, '$&$&') : text;
  const value = Number.parseInt(digits.slice(1), 16);
  return { rgb: [value >> 16, (value >> 8) & 0xff, value & 0xff], css: digits.toLowerCase() };
}

/**
 * How far the light colour is from the dark one, as a share of the way from black to white; negative when they are
 * swapped. A camera weighs the colours as an eye does; a reader that lights with red sees the red part alone, and
 * takes red for white.
 */
export function contrastOf(dark: Colour, light: Colour): { byEye: number; byRedLight: number } {
  return {
    byEye: (brightness(light) - brightness(dark)) / 255,
    byRedLight: (light.rgb[0] - dark.rgb[0]) / 255,
  };
}

/** The weights of ITU-R BT.601, which QR readers use. */
function brightness({ rgb: [red, green, blue] }: Colour): number {
  return 0.299 * red + 0.587 * green + 0.114 * blue;
}
