import { hash } from 'node:crypto';
import { TicketscanError } from '../../core/errors.ts';
import type { Change } from './recorded-state.ts';

/** The content of a line of the log. */
export interface LineBody {
  readonly changes?: readonly Change[];
  /** Written when a program ended cleanly, as its last line. */
  readonly closed?: true;
  /** Ends the beginning of a shortened log: the next line is the one after this place of the log as it was. */
  readonly continues?: LogPlace;
}

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
  /** The line with its line feed, as it is in the file. */
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
function readLine(
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
function cutOffFrom(before: LogPlace, bytes: Buffer): number | undefined {
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

/** Fills the file behind the last line while a program writes: see `LogFile`. */
export const PADDING = 0x0a;

/** What a disk writes whole or not at all. */
const SECTOR_BYTES = 512;
/** A shorter gap could be anything. */
const GAP_BYTES_MIN = 8;

/** A line that was read. Those of a shortened log stand for all lines up to the one that they continue from. */
interface ReadLine extends LogPlace {
  readonly body: LineBody;
}

export interface LogContent {
  readonly lines: readonly ReadLine[];
  readonly last: LogPlace;
  /** Where the last line ends, with its line feed, in bytes. */
  readonly end: number;
  /** Padding follows the last line, so nothing can have been cut off there. */
  readonly padded: boolean;
  /** More than padding follows the last line: a write that was never acknowledged, because its program ended. */
  readonly unfinished: boolean;
}

/**
 * Reads a log. Every byte is proven: what is not a whole line must be padding, or the beginning of a last write that did not
 * reach the disk.
 * @throws TicketscanError `store_damaged` that names the line
 */
export function readLog(bytes: Buffer, path: string): LogContent {
  let lines: ReadLine[] = [];
  let last: LogPlace = LOG_START;
  let end = 0;
  while (end < bytes.length && bytes[end] !== PADDING) {
    const feed = bytes.indexOf(PADDING, end);
    const read = feed < 0 ? undefined : readLine(last, bytes.subarray(end, feed));
    if (!read) break;
    last = { line: last.line + 1, check: read.check };
    const body = read.body as LineBody;
    lines.push({ ...last, body });
    if (body.continues) {
      last = body.continues;
      lines = lines.map((one) => ({ ...one, ...body.continues }));
    }
    end = feed + 1;
  }
  const behind = bytes.subarray(end);
  const unfinished = lastNonPadding(behind) >= 0;
  if (unfinished && !isUnfinishedWrite(last, behind, end)) throw damagedAfter(last, path);
  return { lines, last, end, padded: behind.length > 0, unfinished };
}

/**
 * True when what follows the last good line can only be a write that did not finish. Room was made for it before, so
 * there is padding where the rest of it should be, which a whole line that was damaged later does not have.
 */
function isUnfinishedWrite(last: LogPlace, behind: Buffer, offset: number): boolean {
  const feed = behind.indexOf(PADDING);
  const beginning = feed < 0 ? behind : behind.subarray(0, feed);
  if (beginning.length > 0 && lastNonPadding(behind) < beginning.length) {
    const bytesMeant = cutOffFrom(last, beginning);
    // Its line feed and one byte of padding come on top.
    return bytesMeant !== undefined && behind.length >= bytesMeant + 2;
  }
  return hasMissingSector(behind, offset) && behind.length > lastNonPadding(behind) + 2;
}

/** True when a sector before the last byte that was written still holds padding only: disks write them in any order. */
function hasMissingSector(behind: Buffer, offset: number): boolean {
  const last = lastNonPadding(behind);
  let from = 0;
  while (from <= last) {
    const to = from + SECTOR_BYTES - ((offset + from) % SECTOR_BYTES);
    const isWholeAndBefore = to <= last && to - from >= GAP_BYTES_MIN;
    if (isWholeAndBefore && lastNonPadding(behind.subarray(from, to)) < 0) return true;
    from = to;
  }
  return false;
}

/** The index of the last byte that is not padding; -1 when there is none. */
function lastNonPadding(bytes: Buffer): number {
  let index = bytes.length - 1;
  while (index >= 0 && bytes[index] === PADDING) index -= 1;
  return index;
}

function damagedAfter(last: LogPlace, path: string): TicketscanError {
  const place = last.line < 0 ? 'at its beginning' : `after line ${last.line + 1}`;
  return new TicketscanError(
    'store_damaged',
    `${path} is damaged ${place}: the rest may contain acknowledged uses. ` +
      'Restore it together with its document from a backup; nothing was changed.',
  );
}
