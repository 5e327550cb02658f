import { spawnSync } from 'node:child_process';
import { SkippedError } from '../part.ts';

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

  makeReadOnly(): void {
    const { status, stderr } = spawnSync('mount', ['-o', 'remount,ro', this.folder]);
    if (status !== 0) throw new Error(`${this.folder} cannot be made read-only: ${stderr}`);
  }

  [Symbol.dispose](): void {
    spawnSync('umount', ['-l', this.folder]);
  }
}
