import { hash } from 'node:crypto';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { TicketscanError } from '../../core/errors.ts';
import { lostFile, OpenedFiles } from '../file-guards.ts';

/** The content of a line of the log. */
export interface LineBody {
  /** Of the store's state, as it records them. */
  readonly changes?: readonly unknown[];
  /** Written when a program ended cleanly, as its last line. */
  readonly closed?: true;
  /** Ends the beginning of a shortened log: the next line is the one after this position of the log as it was. */
  readonly continues?: LogPosition;
}

/**
 * One line of the log, which is one durable write:
 * `{"line":17,"bytes":312,"check":"4f0c…","changes":[…],"end":17}`.
 *
 * `bytes` is the length of what follows the check, which is computed over that and the check of the line before. So
 * a line that was cut off is shorter than it says; any other difference is damage (ADR 0011).
 */
export interface LogLine extends LogPosition {
  /** The line with its line feed, as it is in the file. */
  readonly text: string;
}

export interface LogPosition {
  readonly line: number;
  readonly check: string;
}

/** Before the first line. */
export const LOG_START: LogPosition = { line: -1, check: '' };

const CHECK_CHARACTERS = 16;
const HEAD = /^\{"line":(\d+),"bytes":(\d+),"check":"([0-9a-f]{16})",/;
/** Longer than the head of any line, shorter than any line. */
const HEAD_CHARACTERS_MAX = 80;

/** The line after `before` that holds the members of `body`. */
export function nextLine(before: LogPosition, body: Readonly<Record<string, unknown>>): LogLine {
  const number = before.line + 1;
  const rest = `${JSON.stringify(body).slice(1, -1)},"end":${number}}`;
  const bytes = Buffer.byteLength(rest);
  const check = checkOf(before, rest);
  return {
    line: number,
    check,
    text: `{"line":${number},"bytes":${bytes},"check":"${check}",${rest}\n`,
  };
}

/**
 * Reads one line.
 * @param bytes without its line feed
 * @returns undefined when it is not, byte for byte, the line after `before`
 */
function readLine(
  before: LogPosition,
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
function cutOffFrom(before: LogPosition, bytes: Buffer): number | undefined {
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

function checkOf(before: LogPosition, rest: string | Buffer): string {
  const text = `${before.check} ${before.line + 1} `;
  const whole = typeof rest === 'string' ? text + rest : Buffer.concat([Buffer.from(text), rest]);
  return hash('sha256', whole, 'hex').slice(0, CHECK_CHARACTERS);
}

/** Fills the file behind the last line while a program writes: see `LogFile`. */
const PADDING = 0x0a;

/** What a disk writes whole or not at all. */
const SECTOR_BYTES = 512;
/** A shorter gap could be anything. */
const GAP_BYTES_MIN = 8;

/** A line that was read. Those of a shortened log stand for all lines up to the one that they continue from. */
interface ReadLine extends LogPosition {
  readonly body: LineBody;
}

export interface LogContent {
  readonly lines: readonly ReadLine[];
  readonly last: LogPosition;
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
  let last: LogPosition = LOG_START;
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
function isUnfinishedWrite(last: LogPosition, behind: Buffer, offset: number): boolean {
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

function damagedAfter(last: LogPosition, path: string): TicketscanError {
  const where = last.line < 0 ? 'at its beginning' : `after line ${last.line + 1}`;
  return new TicketscanError(
    'store_damaged',
    `${path} is damaged ${where}: the rest may contain acknowledged uses. ` +
      'Restore it together with its document from a backup; nothing was changed.',
  );
}

/** Room that is made at once, so that most writes change no length and wait for the disk only once. */
const ROOM_BYTES = 256 * 1024;

/**
 * The log, open for its writer. Padding always follows the last line, written and synced before a line is written over
 * it: a file that ends without padding was cut off, and a line that ends in padding was never finished (ADR 0011).
 */
export class LogFile {
  readonly #path: string;
  #opened: OpenedFile;
  #size: number;
  #end: number;
  #last: LogPosition;
  #isClean: boolean;

  private constructor(path: string, opened: OpenedFile, content: LogContent) {
    this.#path = path;
    this.#opened = opened;
    this.#size = opened.size;
    this.#end = content.end;
    this.#last = content.last;
    this.#isClean = !content.unfinished;
  }

  /** Opens the file of which `content` was read. Writes nothing. */
  static async open(path: string, content: LogContent): Promise<LogFile> {
    return new LogFile(path, await openToWrite(path), content);
  }

  get last(): LogPosition {
    return this.#last;
  }

  /** The size of its lines, without the padding. */
  get bytes(): number {
    return this.#end;
  }

  /** Writes a line; resolves when it is durable. When it rejects, only `repair` makes the file usable again. */
  async append(body: Readonly<Record<string, unknown>>): Promise<void> {
    const line = nextLine(this.#last, body);
    const bytes = Buffer.from(line.text);
    await this.#erase();
    await this.#makeRoom(bytes.length);
    await this.#write(bytes, this.#end);
    await this.#sync();
    this.#end += bytes.length;
    this.#last = { line: line.line, check: line.check };
  }

  /** Resolves when padding follows the last line, on the disk. */
  async makeRoom(): Promise<void> {
    await this.#erase();
    await this.#makeRoom(0);
  }

  /** Resolves when a write has just become durable; changes nothing. */
  async checkWritable(): Promise<void> {
    await this.makeRoom();
    await this.#write(Buffer.of(PADDING), this.#end);
    await this.#sync();
  }

  /**
   * Makes certain what a failed write left open. After a failed sync the system may take pages for clean that never
   * reached the disk: so the part behind the last good line is written again, as padding, and the file is read again.
   */
  async repair(): Promise<void> {
    await this.close();
    this.#opened = await openToWrite(this.#path);
    this.#size = this.#opened.size;
    this.#isClean = false;
    // Before anything is written over: it may be another file by now.
    this.#mustBeWhole((await readFile(this.#path)).subarray(0, this.#end));
    await this.#makeRoom(0);
    await this.#erase();
    this.#mustBeWhole(await readFile(this.#path));
  }

  /** Removes the padding. Whatever proves that nothing is missing must be on the disk before. */
  async trim(): Promise<void> {
    if (this.#size === this.#end) return;
    await this.#opened.handle.truncate(this.#end);
    await this.#opened.handle.sync();
    this.#size = this.#end;
    this.#isClean = true;
  }

  async close(): Promise<void> {
    await this.#opened.handle.close().catch(() => {});
  }

  /** What is written is on the disk, under its name. */
  async #sync(): Promise<void> {
    await this.#opened.handle.datasync();
    this.#opened.names.mustBeThere();
  }

  #mustBeWhole(bytes: Buffer): void {
    const { last } = readLog(bytes, this.#path);
    if (last.line !== this.#last.line || last.check !== this.#last.check)
      throw lostFile(this.#path);
  }

  /** What an unfinished write left becomes padding before anything is written over it. */
  async #erase(): Promise<void> {
    if (this.#isClean) return;
    await this.#write(Buffer.alloc(this.#size - this.#end, PADDING), this.#end);
    await this.#opened.handle.sync();
    this.#isClean = true;
  }

  async #makeRoom(bytes: number): Promise<void> {
    const needed = this.#end + bytes + 1;
    if (this.#size >= needed) return;
    // Where there is no room for much there may be room for this one.
    await this.#grow(needed + ROOM_BYTES).catch(() => this.#grow(needed));
  }

  async #grow(size: number): Promise<void> {
    await this.#write(Buffer.alloc(size - this.#size, PADDING), this.#size);
    await this.#opened.handle.sync();
    this.#size = size;
  }

  async #write(bytes: Buffer, position: number): Promise<void> {
    let written = 0;
    while (written < bytes.length) {
      const length = bytes.length - written;
      const result = await this.#opened.handle.write(bytes, written, length, position + written);
      written += result.bytesWritten;
    }
  }
}

interface OpenedFile {
  readonly handle: FileHandle;
  readonly size: number;
  readonly names: OpenedFiles;
}

/** For reading and writing at any position. */
async function openToWrite(path: string): Promise<OpenedFile> {
  const handle = await open(path, 'r+');
  const { size } = await handle.stat();
  return { handle, size, names: new OpenedFiles(path) };
}
