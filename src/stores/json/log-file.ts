import { type FileHandle, open, readFile } from 'node:fs/promises';
import { type LogPlace, nextLine } from './log-lines.ts';
import { FILLER, type LogContent, readLog } from './read-log.ts';

/** Room that is made at once, so that most writes change no length and wait for the disk only once. */
const ROOM_BYTES = 256 * 1024;

/**
 * The log as a writer has it. Behind the last line there is always filler, made and synced before a line is written over
 * it: a file that ends without filler was cut off, and a line that ends in filler was never finished (ADR 0011).
 */
export class LogFile {
  readonly #path: string;
  #handle: FileHandle;
  #size: number;
  #end: number;
  #last: LogPlace;
  #isClean: boolean;

  private constructor(path: string, handle: FileHandle, size: number, content: LogContent) {
    this.#path = path;
    this.#handle = handle;
    this.#size = size;
    this.#end = content.end;
    this.#last = content.last;
    this.#isClean = !content.unfinished;
  }

  /** Opens the file of which `content` was read, or an empty one that is not there yet. Writes nothing. */
  static async open(path: string, content: LogContent): Promise<LogFile> {
    const handle = await openToWrite(path);
    const { size } = await handle.stat();
    return new LogFile(path, handle, size, content);
  }

  get last(): LogPlace {
    return this.#last;
  }

  /** Of its lines, without the filler. */
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
    this.#end += bytes.length;
    this.#last = { line: line.number, check: line.check };
  }

  /** Resolves when a write has just become durable; changes nothing. */
  async checkWritable(): Promise<void> {
    await this.#erase();
    await this.#makeRoom(0);
    await this.#write(Buffer.of(FILLER), this.#end);
    await this.#handle.datasync();
  }

  /**
   * Makes certain what a failed write left open. After a failed sync the system may take pages for clean that never
   * reached the disk: so the part behind the last good line is written again, as filler, and the file is read again.
   */
  async repair(): Promise<void> {
    await this.close();
    this.#handle = await openToWrite(this.#path);
    this.#size = (await this.#handle.stat()).size;
    this.#isClean = false;
    await this.#makeRoom(0);
    await this.#erase();
    const { last } = readLog(await readFile(this.#path), this.#path);
    if (last.line !== this.#last.line || last.check !== this.#last.check) {
      throw new Error(`${this.#path} ends in line ${last.line}, not ${this.#last.line}`);
    }
  }

  /** Removes the filler. Whatever proves that nothing is missing must be on the disk before. */
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

  /** What an unfinished write left becomes filler before anything is written over it. */
  async #erase(): Promise<void> {
    if (this.#isClean) return;
    await this.#write(Buffer.alloc(this.#size - this.#end, FILLER), this.#end);
    await this.#handle.sync();
    this.#isClean = true;
  }

  async #makeRoom(bytes: number): Promise<void> {
    const needed = this.#end + bytes + 1;
    if (this.#size >= needed) return;
    const size = needed + ROOM_BYTES;
    await this.#write(Buffer.alloc(size - this.#size, FILLER), this.#size);
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

/** For reading and writing at any place; made when it is not there. */
async function openToWrite(path: string): Promise<FileHandle> {
  return open(path, 'r+').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return open(path, 'wx+');
  });
}
