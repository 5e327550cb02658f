import { type FileHandle, open, readFile } from 'node:fs/promises';
import { lostFile, OpenedFiles } from '../file-guards.ts';
import { type LogContent, type LogPlace, nextLine, PADDING, readLog } from './log-format.ts';

/** Room that is made at once, so that most writes change no length and wait for the disk only once. */
const ROOM_BYTES = 256 * 1024;

/**
 * The log, open for its writer. Padding always follows the last line, written and synced before a line is written over
 * it: a file that ends without padding was cut off, and a line that ends in padding was never finished (ADR 0011).
 */
export class LogFile {
  readonly #path: string;
  #handle: FileHandle;
  #size: number;
  #end: number;
  #last: LogPlace;
  #isClean: boolean;
  #file: OpenedFiles;

  private constructor(path: string, file: OpenedFile, content: LogContent) {
    this.#path = path;
    this.#handle = file.handle;
    this.#size = file.size;
    this.#file = file.file;
    this.#end = content.end;
    this.#last = content.last;
    this.#isClean = !content.unfinished;
  }

  /** Opens the file of which `content` was read. Writes nothing. */
  static async open(path: string, content: LogContent): Promise<LogFile> {
    return new LogFile(path, await openToWrite(path), content);
  }

  get last(): LogPlace {
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
    await this.#handle.datasync();
    this.#file.mustBeThere();
    this.#end += bytes.length;
    this.#last = { line: line.number, check: line.check };
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
    await this.#handle.datasync();
    this.#file.mustBeThere();
  }

  /**
   * Makes certain what a failed write left open. After a failed sync the system may take pages for clean that never
   * reached the disk: so the part behind the last good line is written again, as padding, and the file is read again.
   */
  async repair(): Promise<void> {
    await this.close();
    const { handle, size, file } = await openToWrite(this.#path);
    this.#handle = handle;
    this.#size = size;
    this.#file = file;
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
    await this.#handle.truncate(this.#end);
    await this.#handle.sync();
    this.#size = this.#end;
    this.#isClean = true;
  }

  async close(): Promise<void> {
    await this.#handle.close().catch(() => {});
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
    await this.#handle.sync();
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
    await this.#handle.sync();
    this.#size = size;
  }

  async #write(bytes: Buffer, position: number): Promise<void> {
    let written = 0;
    while (written < bytes.length) {
      const length = bytes.length - written;
      const result = await this.#handle.write(bytes, written, length, position + written);
      written += result.bytesWritten;
    }
  }
}

interface OpenedFile {
  readonly handle: FileHandle;
  readonly size: number;
  readonly file: OpenedFiles;
}

/** For reading and writing at any place. */
async function openToWrite(path: string): Promise<OpenedFile> {
  const handle = await open(path, 'r+');
  const { size } = await handle.stat();
  return { handle, size, file: new OpenedFiles(path) };
}
