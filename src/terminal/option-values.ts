import { extname } from 'node:path';
import type { Argument, Option } from 'commander';
import { TicketscanError } from '../core/errors.ts';
import { fileFailure } from '../kit/failures.ts';
import { readBoundedText } from '../kit/files.ts';
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

/** A report to write: its format, and where. */
export interface ReportFile<Format extends string> {
  readonly format: Format;
  readonly file: string;
}

/**
 * Reads `FORMAT=FILE`, or a file whose ending names the format; undefined for anything else.
 * @param formatOfEnding such as `.json` to `json`
 * @param formats the known formats, when some have no ending
 */
export function parseReportFile<Format extends string>(
  text: string,
  formatOfEnding: Readonly<Record<string, Format>>,
  formats: readonly Format[] = Object.values(formatOfEnding),
): ReportFile<Format> | undefined {
  const at = text.indexOf('=');
  const named = formats.find((one) => one === text.slice(0, at));
  const file = named === undefined ? text : text.slice(at + 1);
  const format = named ?? formatOfEnding[extname(text)];
  return format === undefined || file === '' ? undefined : { format, file };
}

interface Suggestions {
  readonly words: readonly string[];
  /** True when several are given, separated by commas. */
  readonly isList: boolean;
}

const SUGGESTIONS = new WeakMap<Option | Argument, Suggestions>();

/**
 * Names words that a shell completes as values, for an option that checks its value itself: it also takes a mix or a list, or its message says more than
 * that of commander's choices.
 */
export function suggest<Target extends Option | Argument>(
  target: Target,
  words: readonly string[],
  { isList = false } = {},
): Target {
  SUGGESTIONS.set(target, { words, isList });
  return target;
}

/** What `suggest`, or commander's choices, say of it. */
export function suggestionsFor(target: Option | Argument): Suggestions | undefined {
  if (target.argChoices) return { words: target.argChoices, isList: false };
  return SUGGESTIONS.get(target);
}
