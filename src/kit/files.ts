import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  rmdirSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { openedPieces, openToRead, openToWrite } from './pipes.ts';

/** The mode of files with keys, codes or the names of visitors. */
export const OWNER_ONLY = 0o600;

/**
 * Gives a new, open file to the owner of the first of `models` that exists: of the file that it will replace, or of its folder. Changes
 * something only for root, whose commands would otherwise leave files that the service, which runs as its own user, cannot open.
 * Where the system refuses (a container without that right), the file stays root's.
 */
export function takeOwnerOf(file: number, ...models: readonly string[]): void {
  if (process.geteuid?.() !== 0) return;
  for (const model of models) {
    const found = statSync(model, { throwIfNoEntry: false });
    if (!found) continue;
    try {
      fchownSync(file, found.uid, found.gid);
    } catch {
      // Root can open the file; whether the service can is shown by `doctor` and by its own start.
    }
    return;
  }
}

/**
 * Brings a file, or the names in a folder, to the disk: the name of a file is kept by its folder, and without this a power
 * cut may forget it. Does nothing on Windows, which keeps names by itself and opens no folders.
 */
export async function syncPath(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Syncs like `syncPath`, but before it returns. */
export function syncPathNow(path: string): void {
  if (process.platform !== 'win32') whileOpen(path, 'r', fsyncSync);
}

/** What `work` does with a file that is open meanwhile. @param mode of a file that is made @throws Error of the system */
export function whileOpen<Result>(
  path: string,
  flags: string | number,
  work: (file: number) => Result,
  mode?: number,
): Result {
  const file = flags === 'r' ? openToRead(path) : openToWrite(path, flags, mode);
  try {
    return work(file);
  } finally {
    closeSync(file);
  }
}

const PIECE_BYTES = 1024 * 1024;
/** No list, key or recording is as large, and a device such as /dev/zero has no end. */
const BYTES_MAX = 256 * PIECE_BYTES;
/** The most bytes of a picture. */
const PICTURE_BYTES_MAX = 64 * PIECE_BYTES;

/** A whole file, or what a pipe has until its end. @throws Error of the system, and ERR_FS_FILE_TOO_LARGE for more than 256 MiB */
export function readBounded(path: string): Buffer<ArrayBuffer> {
  return whileOpen(path, 'r', (file) => readOpened(file, BYTES_MAX));
}

/** Reads like `readBounded`, and decodes like `decodedText`. */
export function readBoundedText(path: string): string {
  return decodedText(readBounded(path));
}

const UTF_8_MARK = '\uFEFF';

/**
 * The text of a file that a person may have saved: UTF-8, without the mark that programs on Windows put in front.
 * @throws Error ERR_TEXT_UTF16 for what is UTF-16, as `>` of PowerShell writes it, ERR_TEXT_NONE for what is no text
 */
export function decodedText(bytes: Buffer): string {
  const [first, second] = bytes;
  const isMarked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  // Every text that is read here begins with a character of ASCII.
  const isHalfZero = bytes.length > 1 && (first === 0) !== (second === 0);
  if (isMarked || isHalfZero)
    throw Object.assign(new Error('is UTF-16'), { code: 'ERR_TEXT_UTF16' });
  const zero = bytes.indexOf(0);
  // Some programs end a value with one.
  const isNoText = zero >= 0 && bytes.subarray(zero).some((byte) => byte > 0x20);
  if (isNoText) throw Object.assign(new Error('is no text'), { code: 'ERR_TEXT_NONE' });
  const text = bytes.toString('utf8');
  return text.startsWith(UTF_8_MARK) ? text.slice(1) : text;
}

/** Reads a file that is open, as `readBoundedText` does. */
export function readOpenedText(file: number): string {
  return decodedText(readOpened(file, BYTES_MAX));
}

/** A file with a picture; nothing but a regular file is one. @throws as `readBounded`, and ERR_NOT_REGULAR */
export function readPicture(path: string): Buffer<ArrayBuffer> {
  return whileOpen(path, 'r', (file) => {
    const status = fstatSync(file);
    if (!status.isFile() && !status.isDirectory())
      throw Object.assign(new Error('no regular file'), { code: 'ERR_NOT_REGULAR' });
    return readOpened(file, PICTURE_BYTES_MAX);
  });
}

function readOpened(file: number, bytesMax: number): Buffer<ArrayBuffer> {
  const pieces: Buffer[] = [];
  let total = 0;
  for (const piece of openedPieces(file, PIECE_BYTES)) {
    total += piece.length;
    if (total > bytesMax)
      throw Object.assign(new Error('too large'), { code: 'ERR_FS_FILE_TOO_LARGE' });
    pieces.push(piece);
  }
  return Buffer.concat(pieces, total);
}

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

/** Writes what others may read, with mode 0644; otherwise like `writeForOwner`. */
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
  if (existing) {
    accessSync(path, constants.W_OK);
    return;
  }
  const made = makeFolder(dirname(path));
  try {
    closeSync(openSync(path, 'wx', OWNER_ONLY));
    unlinkSync(path);
  } finally {
    for (const folder of made.toReversed()) rmdirSync(folder);
  }
}

/**
 * Makes a folder and those above it that are missing. One by one: the recursive call of Node never ends on a path in
 * which folders cannot be made, such as one below /proc.
 * @returns those that it made, the outermost first @throws Error of the system, whose `path` is the folder that cannot be made
 */
export function makeFolder(folder: string): string[] {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory()) return [];
  if (found) throw Object.assign(new Error('is a file'), { code: 'ENOTDIR', path: folder });
  const parent = dirname(folder);
  const made = parent === folder ? [] : makeFolder(parent);
  mkdirSync(folder);
  return [...made, folder];
}

function write(path: string, content: string | Buffer, flag: 'w' | 'wx', mode: number): void {
  const fill = (file: number) => {
    // Never the mode or owner of a device such as /dev/null.
    if (fstatSync(file).isFile()) {
      fchmodSync(file, mode);
      if (isItself(file, path)) takeOwnerOf(file, dirname(path));
    }
    writeFileSync(file, content);
  };
  whileOpen(path, flag, fill, mode);
}

/** False behind a link: the owner of a folder could otherwise have root give away any file of the system. */
function isItself(file: number, path: string): boolean {
  const [opened, named] = [fstatSync(file), lstatSync(path)];
  return opened.ino === named.ino && opened.dev === named.dev && opened.nlink === 1;
}
