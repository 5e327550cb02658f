import type { DatabaseSync } from 'node:sqlite';
import { isSqliteBusy } from '../sqlite-codes.ts';
import { BUSY_TIMEOUT_MS, lockForGood } from './open-database.ts';

/** Written anew in less than the 5 seconds that another process waits for a write. */
const SMALL_BYTES = 128 * 1024 * 1024;
const PATIENCE_MS = 250;

/**
 * Writes the database anew and empties its write-ahead log: only then nothing of a deleted row is left in a free page.
 * @param isPatient also a large one, if no other process has it open
 * @returns false when it was not written anew, or a reader still needs the write-ahead log
 */
export function purgeErased(database: DatabaseSync, isPatient: boolean): boolean {
  const { page_count: pages } = database.prepare('PRAGMA page_count').get() as {
    page_count: number;
  };
  const { page_size: size } = database.prepare('PRAGMA page_size').get() as { page_size: number };
  const isSmall = pages * size <= SMALL_BYTES;
  if (!isSmall && !(isPatient && isAlone(database))) return false;
  database.exec('VACUUM');
  const [done] = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all();
  return done?.['busy'] === 0;
}

/** True when no other process has the database open at this moment. */
function isAlone(database: DatabaseSync): boolean {
  database.exec(`PRAGMA busy_timeout = ${PATIENCE_MS}`);
  try {
    lockForGood(database);
    return true;
  } catch (error) {
    if (isSqliteBusy(error)) return false;
    throw error;
  } finally {
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    database.exec('PRAGMA locking_mode = NORMAL');
    // The lock is given back with the next access.
    database.prepare('PRAGMA schema_version').get();
  }
}
