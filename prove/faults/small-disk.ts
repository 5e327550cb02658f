import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SkippedError } from '../part.ts';

const PIECE = Buffer.alloc(64 * 1024, 1);

/**
 * Mounts a small file system of its own on a folder, and takes it away at the end.
 * @throws SkippedError where this user may not
 */
export class SmallDisk implements Disposable {
  readonly folder: string;

  constructor(folder: string, megabytes: number) {
    this.folder = folder;
    const { status } = spawnSync('mount', [
      '-t',
      'tmpfs',
      '-o',
      `size=${megabytes}m`,
      'tmpfs',
      folder,
    ]);
    if (status !== 0) throw new SkippedError('mounting a small file system needs root');
  }

  /** Takes all the space that is left, until `empty`. */
  fill(): void {
    const path = this.#filler;
    writeFileSync(path, '');
    try {
      for (;;) writeFileSync(path, PIECE, { flag: 'a' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }

  empty(): void {
    rmSync(this.#filler);
  }

  get #filler(): string {
    return join(this.folder, 'filler');
  }

  makeReadOnly(): void {
    const { status, stderr } = spawnSync('mount', ['-o', 'remount,ro', this.folder]);
    if (status !== 0) throw new Error(`${this.folder} cannot be made read-only: ${stderr}`);
  }

  [Symbol.dispose](): void {
    spawnSync('umount', ['-l', this.folder]);
  }
}
