import { closeSync, openSync, readSync } from 'node:fs';
import type { FileEngine } from './stage-backup.ts';

const SQLITE_HEADER = 'SQLite format 3\0';

/** Which engine wrote a file. @throws Error of the system when it cannot be read */
export function engineOfFile(path: string): FileEngine {
  const start = Buffer.alloc(SQLITE_HEADER.length);
  const file = openSync(path, 'r');
  try {
    readSync(file, start, 0, start.length, 0);
  } finally {
    closeSync(file);
  }
  return start.toString('latin1') === SQLITE_HEADER ? 'sqlite' : 'json';
}
