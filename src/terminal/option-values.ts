import { TicketscanError } from '../core/errors.ts';
import { readBoundedText } from '../kit/bounded-file.ts';
import { fileFailure } from '../kit/failures.ts';
import type { CliIo } from './io.ts';

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

const PORT_MAX = 65_535;

/** @throws TicketscanError `usage` when the text is not a port; 0 is valid: any free port */
export function parsePort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= PORT_MAX) return Number(text);
  throw new TicketscanError(
    'usage',
    `"${text}" is not a valid port: give a number from 0 to ${PORT_MAX}.`,
  );
}

/**
 * The value that `read` makes of an option's text.
 * @param option as it is typed, such as `--expires`
 * @throws TicketscanError as `read` does, with the option in front of the message
 */
export function forOption<Value>(option: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof TicketscanError)) throw error;
    const { code, message, reason, values } = error;
    const explanation = reason === undefined ? {} : { reason, values };
    throw new TicketscanError(code, `${option}: ${message}`, { cause: error, ...explanation });
  }
}

/** Parses an option that may be repeated: all its texts, in their order. */
export function collected(text: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), text];
}

/**
 * A key or code from the command line, or from `env:NAME` or `file:PATH`, so that it need not be in a shell's history.
 * @throws TicketscanError `usage` when the variable or file is missing or empty
 */
export function readSecretValue(text: string, io: Pick<CliIo, 'env'>): string {
  if (text.startsWith('env:')) {
    const value = io.env[text.slice(4)];
    if (!value)
      throw new TicketscanError('usage', `The environment variable ${text.slice(4)} is not set.`);
    return value;
  }
  if (!text.startsWith('file:')) return text;
  try {
    const value = readBoundedText(text.slice(5)).trim();
    if (value !== '') return value;
  } catch (error) {
    throw new TicketscanError('usage', `${text.slice(5)} cannot be read: ${fileFailure(error)}.`);
  }
  throw new TicketscanError('usage', `${text.slice(5)} is empty.`);
}
