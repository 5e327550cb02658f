import { TicketscanError } from '../../../core/errors.ts';
import type { LineBody } from './line-body.ts';
import { cutOffFrom, LOG_START, type LogPlace, readLine } from './log-lines.ts';

/** What fills the file behind the last line while a program writes: see `LogFile`. */
export const FILLER = 0x0a;

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
  /** Filler lies behind the last line, so that nothing can have been cut off there. */
  readonly filled: boolean;
  /** Something lies behind the last line: a write that was under way, and never acknowledged, when its program ended. */
  readonly unfinished: boolean;
}

/**
 * Reads a log as it lies in the file. Every byte is proven: what is not a whole line must be filler, or the beginning of
 * a last write that did not reach the disk.
 * @throws TicketscanError `store_damaged` that names the line
 */
export function readLog(bytes: Buffer, path: string): LogContent {
  let lines: ReadLine[] = [];
  let last: LogPlace = LOG_START;
  let end = 0;
  while (end < bytes.length && bytes[end] !== FILLER) {
    const feed = bytes.indexOf(FILLER, end);
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
  const unfinished = lastOther(behind) >= 0;
  if (unfinished && !isUnfinishedWrite(last, behind, end)) throw damagedAfter(last, path);
  return { lines, last, end, filled: behind.length > 0, unfinished };
}

/**
 * True when what lies behind the last good line can only be a write that did not finish. Room was made for it before, so
 * there is filler where the rest of it should be, which a whole line that was damaged later does not have.
 */
function isUnfinishedWrite(last: LogPlace, behind: Buffer, offset: number): boolean {
  const feed = behind.indexOf(FILLER);
  const beginning = feed < 0 ? behind : behind.subarray(0, feed);
  if (beginning.length > 0 && lastOther(behind) < beginning.length) {
    const bytesMeant = cutOffFrom(last, beginning);
    // Its line feed and one byte of filler come on top.
    return bytesMeant !== undefined && behind.length >= bytesMeant + 2;
  }
  return hasMissingSector(behind, offset) && behind.length > lastOther(behind) + 2;
}

/** True when a sector before the last byte that was written still holds filler only: disks write them in any order. */
function hasMissingSector(behind: Buffer, offset: number): boolean {
  const last = lastOther(behind);
  let from = 0;
  while (from <= last) {
    const to = from + SECTOR_BYTES - ((offset + from) % SECTOR_BYTES);
    const isWholeAndBefore = to <= last && to - from >= GAP_BYTES_MIN;
    if (isWholeAndBefore && lastOther(behind.subarray(from, to)) < 0) return true;
    from = to;
  }
  return false;
}

/** Where the last byte lies that is not filler; -1 when there is none. */
function lastOther(bytes: Buffer): number {
  let index = bytes.length - 1;
  while (index >= 0 && bytes[index] === FILLER) index -= 1;
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
