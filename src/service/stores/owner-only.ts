import { closeSync, lstatSync, openSync, readlinkSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { OWNER_ONLY, takeOwnerOf } from '../../kit/files.ts';

const OTHERS = 0o077;

/**
 * Makes an empty file with mode 0600 before SQLite opens it: SQLite itself would let everybody read it, and gives its
 * -wal and -shm files the same mode and owner. Made by root, it belongs to the owner of its folder. Leaves a file that exists
 * as it is; what cannot be made fails when it is opened.
 */
export function createForOwner(path: string): void {
  if (path === ':memory:') return;
  try {
    // Exclusive: closing any other handle of a database would drop the locks that this process holds on it.
    const target = linkedFile(path);
    const file = openSync(target, 'wx', OWNER_ONLY);
    takeOwnerOf(file, dirname(target));
    closeSync(file);
  } catch {
    // It exists already, or SQLite says in a moment why it cannot be opened.
  }
}

/** Where a link leads to, also when nothing is there: SQLite would make that file readable for all. */
function linkedFile(path: string): string {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink();
  return isLink ? linkedFile(resolve(dirname(path), readlinkSync(path))) : path;
}

/** Those of the files that others than their owner may read or write; none on Windows, which has other rules. */
export function openToOthers(paths: readonly string[]): string[] {
  if (process.platform === 'win32') return [];
  return paths.filter((path) => {
    const found = statSync(path, { throwIfNoEntry: false });
    return found !== undefined && (found.mode & OTHERS) !== 0;
  });
}
