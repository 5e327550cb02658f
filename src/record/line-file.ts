import { closeSync, fstatSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs';
import { TicketscanError } from '../core/errors.ts';
import { fileFailure } from '../kit/failures.ts';

/**
 * A file of whole lines: each line is written in one piece as soon as it is known, so that the file has no half line
 * whenever the program is stopped. Only the owner may read it.
 */
export class LineFile {
  readonly #path: string;
  readonly #file: number;

  /** @throws TicketscanError `usage` when the file exists or cannot be made */
  constructor(path: string) {
    this.#path = path;
    try {
      this.#file = openSync(path, 'wx', 0o600);
    } catch (error) {
      const exists = (error as NodeJS.ErrnoException).code === 'EEXIST';
      throw new TicketscanError(
        'usage',
        exists
          ? `${path} already exists: a recording is never overwritten. Choose another file with --out.`
          : `${path} cannot be created: ${fileFailure(error)}. Choose another file with --out.`,
      );
    }
  }

  /** @throws TicketscanError `store_unavailable` when it cannot be written; no part of the line stays then */
  append(line: string): void {
    const bytes = Buffer.from(`${line}\n`);
    const before = fstatSync(this.#file).size;
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at, null, null);
    } catch (error) {
      ftruncateSync(this.#file, before);
      throw new TicketscanError(
        'store_unavailable',
        `${this.#path} cannot be written: ${fileFailure(error)}.`,
      );
    }
  }

  close(): void {
    closeSync(this.#file);
  }

  /** Closes and removes the file. */
  discard(): void {
    this.close();
    rmSync(this.#path, { force: true });
  }
}
