import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { countSections } from '../sql/transfer.ts';
import { PROBLEMS_SHOWN } from '../sql/verify.ts';
import type { StoreInfo } from '../store.ts';
import { BUSY_TIMEOUT_MS, isSqliteBusy } from './failures.ts';
import { lockForGood } from './open-database.ts';
import { SqliteConnection } from './sqlite-connection.ts';

/** @param versionFound the version of the format when the database was opened */
export async function storeInfo(
  database: DatabaseSync,
  path: string,
  versionFound: number,
): Promise<StoreInfo> {
  const number = (name: string) =>
    Number(database.prepare(`PRAGMA ${name}`).get()?.[name] ?? Number.NaN);
  const pageSize = number('page_size');
  const newest = database
    .prepare('SELECT at, sequence FROM scan_log ORDER BY sequence DESC LIMIT 1')
    .get();
  const flushedTo = database.prepare('SELECT flushed_to FROM state').get()?.[
    'flushed_to'
  ] as number;
  const walBytes = sizeOf(`${path}-wal`);
  return {
    engine: 'sqlite',
    format: { version: number('user_version'), versionFound },
    counts: await countSections(new SqliteConnection(database)),
    bytes: number('page_count') * pageSize + walBytes,
    lastScanAt: (newest?.['at'] as number | undefined) ?? null,
    details: {
      file: path,
      walBytes,
      freeBytes: number('freelist_count') * pageSize,
      unflushedLogEntries: Math.max(0, Number(newest?.['sequence'] ?? 0) - flushedTo),
      sqlite: database.prepare('SELECT sqlite_version() AS version').get()?.['version'] as string,
    },
  };
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** A database of this size is rewritten in less than the 5 seconds that another process waits for a write. */
const SMALL_BYTES = 128 * 1024 * 1024;
const PATIENCE_MS = 250;

/**
 * Rewrites the database and empties its write-ahead log. Only then no free page holds a deleted row.
 * @param isPatient true to rewrite a large database too, if no other process has it open
 * @returns false if it was not rewritten, or if a reader still needs the write-ahead log
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

/** True if no other process has the database open at this moment. */
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
    // The next access releases the lock.
    database.prepare('PRAGMA schema_version').get();
  }
}

/** The problems that SQLite itself finds in the file. */
export function pageProblems(database: DatabaseSync): string[] {
  const rows = database.prepare(`PRAGMA integrity_check(${PROBLEMS_SHOWN})`).all();
  return rows
    .map((row) => String(row['integrity_check']))
    .filter((text) => text !== 'ok')
    .map((text) => `The database file is damaged: ${text}`);
}
