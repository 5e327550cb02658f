import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

const PIECE_BYTES = 1024 * 1024;
/** No list, key or recording is as large, and a device such as /dev/zero has no end. */
const BYTES_MAX = 256 * PIECE_BYTES;
/** Of a picture. */
const PICTURE_BYTES_MAX = 64 * PIECE_BYTES;

/** A whole file, or what a pipe has until its end. @throws Error of the system, and ERR_FS_FILE_TOO_LARGE for more than 256 MiB */
export function readBounded(path: string): Buffer<ArrayBuffer> {
  const file = openSync(path, 'r');
  try {
    return readOpened(file, BYTES_MAX);
  } finally {
    closeSync(file);
  }
}

/** As `readBounded`, in UTF-8. */
export function readBoundedText(path: string): string {
  return readBounded(path).toString('utf8');
}

/** A file with a picture; nothing but a regular file is one. @throws as `readBounded`, and ERR_NOT_REGULAR */
export function readPicture(path: string): Buffer<ArrayBuffer> {
  // A pipe without a writer would be waited for.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const status = fstatSync(file);
    if (!status.isFile() && !status.isDirectory())
      throw Object.assign(new Error('no regular file'), { code: 'ERR_NOT_REGULAR' });
    return readOpened(file, PICTURE_BYTES_MAX);
  } finally {
    closeSync(file);
  }
}

function readOpened(file: number, bytesMax: number): Buffer<ArrayBuffer> {
  const pieces: Buffer[] = [];
  for (let total = 0; ; ) {
    const piece = Buffer.allocUnsafe(PIECE_BYTES);
    const bytes = readSync(file, piece);
    if (bytes === 0) return Buffer.concat(pieces, total);
    total += bytes;
    if (total > bytesMax)
      throw Object.assign(new Error('too large'), { code: 'ERR_FS_FILE_TOO_LARGE' });
    pieces.push(piece.subarray(0, bytes));
  }
}
