import { TicketscanError } from '../core/errors.ts';

const DIGITS_MAX = 15;
/** No command shows or makes more at once. */
export const COUNT_MAX = 1_000_000_000;

/**
 * A parser for the value of an option that takes a whole number in plain digits.
 * @param option as it is typed, such as `--limit`
 * @throws TicketscanError `usage` from the parser, with the option, the bounds and the value
 */
export function wholeNumberFor(option: string, min = 1, max?: number): (text: string) => number {
  const bounds = max === undefined ? `of at least ${min}` : `from ${min} to ${max}`;
  return (text) => {
    const value = Number(text);
    const isInRange = value >= min && value <= (max ?? Number.MAX_SAFE_INTEGER);
    if (/^\d+$/.test(text) && text.length <= DIGITS_MAX && isInRange) return value;
    throw new TicketscanError(
      'usage',
      `${option} must be a whole number ${bounds}, not "${shown(text)}".`,
    );
  };
}

/** As `wholeNumberFor`, for a number above 0 that may have decimals. */
export function positiveNumberFor(option: string): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d{1,15}(\.\d{1,15})?$/.test(text) && value > 0) return value;
    throw new TicketscanError('usage', `${option} must be a number above 0, not "${shown(text)}".`);
  };
}

const SHOWN_MAX = 40;

function shown(text: string): string {
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
}
