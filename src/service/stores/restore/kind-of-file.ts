import { closeSync, openSync, readSync } from 'node:fs';

const SQLITE_HEADER = 'SQLite format 3\0';
const AGE_HEADER = 'age-encryption.org/v1\n';
const TAR_MAGIC = 'ustar';
const TAR_MAGIC_AT = 257;
const START_BYTES = 4096;

/** What a file is by its first bytes: a store of an engine, an encrypted file or an archive; undefined for anything else. */
export type FileKind = 'sqlite' | 'json' | 'age' | 'tar';

/** @throws Error of the system when it cannot be read */
export function kindOfFile(path: string): FileKind | undefined {
  const start = startOfFile(path);
  if (start.startsWith(SQLITE_HEADER)) return 'sqlite';
  if (start.startsWith(AGE_HEADER)) return 'age';
  if (start.startsWith(TAR_MAGIC, TAR_MAGIC_AT)) return 'tar';
  // Other files of JSON have no log: targets, settings, keyrings.
  return /^\s*\{/.test(start) && /"log"\s*:\s*\{/.test(start) ? 'json' : undefined;
}

/** The first bytes of a file, one character each. @throws Error of the system */
export function startOfFile(path: string): string {
  const start = Buffer.alloc(START_BYTES);
  const file = openSync(path, 'r');
  try {
    const length = readSync(file, start, 0, start.length, 0);
    return start.subarray(0, length).toString('latin1');
  } finally {
    closeSync(file);
  }
}
