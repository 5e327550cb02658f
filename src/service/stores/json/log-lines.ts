import { hash } from 'node:crypto';

/**
 * One line of the log, which is one durable write:
 * `{"line":17,"bytes":312,"check":"4f0c…","changes":[…],"end":17}`.
 *
 * `bytes` is the length of what follows the check, which is computed over that and the check of the line before. So
 * a line that was cut off is shorter than it says; any other difference is damage (ADR 0011).
 */
export interface LogLine {
  readonly number: number;
  readonly check: string;
  /** The line with its line feed, as it lies in the file. */
  readonly text: string;
}

export interface LogPlace {
  readonly line: number;
  readonly check: string;
}

/** Before the first line. */
export const LOG_START: LogPlace = { line: -1, check: '' };

const CHECK_CHARACTERS = 16;
const HEAD = /^\{"line":(\d+),"bytes":(\d+),"check":"([0-9a-f]{16})",/;
/** Longer than the head of any line, shorter than any line. */
const HEAD_CHARACTERS_MAX = 80;

/** The line after `before` that holds the members of `body`. */
export function nextLine(before: LogPlace, body: Readonly<Record<string, unknown>>): LogLine {
  const number = before.line + 1;
  const rest = `${JSON.stringify(body).slice(1, -1)},"end":${number}}`;
  const bytes = Buffer.byteLength(rest);
  const check = checkOf(before, rest);
  return { number, check, text: `{"line":${number},"bytes":${bytes},"check":"${check}",${rest}\n` };
}

/**
 * Reads one line.
 * @param bytes without its line feed
 * @returns undefined when it is not, byte for byte, the line after `before`
 */
export function readLine(
  before: LogPlace,
  bytes: Buffer,
): { readonly check: string; readonly body: unknown } | undefined {
  const head = HEAD.exec(bytes.toString('latin1', 0, HEAD_CHARACTERS_MAX));
  if (!head || head[1] !== String(before.line + 1)) return undefined;
  const rest = bytes.subarray(head[0].length);
  if (head[2] !== String(rest.length) || head[3] !== checkOf(before, rest)) return undefined;
  return { check: head[3], body: JSON.parse(bytes.toString('utf8')) };
}

/**
 * How many bytes the line after `before` was to have when `bytes` is no more than its beginning; undefined when `bytes`
 * can be anything else, above all a whole line that was damaged.
 */
export function cutOffFrom(before: LogPlace, bytes: Buffer): number | undefined {
  const text = bytes.toString('latin1');
  const number = before.line + 1;
  const head = HEAD.exec(text);
  if (head) {
    const bytesMeant = head[0].length + Number(head[2]);
    // The length itself may be what was damaged: then the line still ends as a whole one does.
    const whole = text.endsWith(`,"end":${number}}`);
    const cutOff = head[1] === String(number) && text.length < bytesMeant && !whole;
    return cutOff ? bytesMeant : undefined;
  }
  const beginning = `{"line":${number},"bytes":`;
  const isBeginning = text.startsWith(beginning) || beginning.startsWith(text);
  return isBeginning && text.length < beginning.length + 40 ? text.length + 1 : undefined;
}

function checkOf(before: LogPlace, rest: string | Buffer): string {
  const text = `${before.check} ${before.line + 1} `;
  const whole = typeof rest === 'string' ? text + rest : Buffer.concat([Buffer.from(text), rest]);
  return hash('sha256', whole, 'hex').slice(0, CHECK_CHARACTERS);
}
