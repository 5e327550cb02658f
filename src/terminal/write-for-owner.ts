import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { OWNER_ONLY, takeOwnerOf } from '../kit/files.ts';

const READABLE = 0o644;

/**
 * Writes a file that may contain keys or codes, with mode 0600, also over a file that others can read. Written by root, it belongs to
 * the owner of its folder.
 * @param flag `wx` refuses an existing file
 * @throws Error of the system
 */
export function writeForOwner(
  path: string,
  content: string | Buffer,
  flag: 'w' | 'wx' = 'w',
): void {
  write(path, content, flag, OWNER_ONLY);
}

/** As `writeForOwner`, for what others may read: mode 0644. */
export function writeForAll(path: string, content: string): void {
  write(path, content, 'w', READABLE);
}

/**
 * Finds out before a long run whether `path` can be written after it; leaves everything as it was.
 * @throws Error of the system, as writing it would
 */
export function checkWritable(path: string): void {
  const existing = statSync(path, { throwIfNoEntry: false });
  if (existing?.isDirectory()) throw Object.assign(new Error('is a folder'), { code: 'EISDIR' });
  if (existing) accessSync(path, constants.W_OK);
  else {
    closeSync(openSync(path, 'wx', OWNER_ONLY));
    unlinkSync(path);
  }
}

function write(path: string, content: string | Buffer, flag: 'w' | 'wx', mode: number): void {
  const file = openSync(path, flag, mode);
  try {
    // Never the mode or owner of a device such as /dev/null.
    if (fstatSync(file).isFile()) {
      fchmodSync(file, mode);
      if (isItself(file, path)) takeOwnerOf(file, dirname(path));
    }
    writeFileSync(file, content);
  } finally {
    closeSync(file);
  }
}

/** False behind a link: the owner of a folder could otherwise have root give away any file of the system. */
function isItself(file: number, path: string): boolean {
  const [opened, named] = [fstatSync(file), lstatSync(path)];
  return opened.ino === named.ino && opened.dev === named.dev && opened.nlink === 1;
}
