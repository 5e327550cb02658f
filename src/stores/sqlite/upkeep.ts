import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { countEntries } from '../sql/scan-counts.ts';
import { countSections } from '../sql/snapshot.ts';
import { isSqliteBusy } from '../sqlite-codes.ts';
import type { PrunableLog, StoreInfo } from '../store.ts';
import { BUSY_TIMEOUT_MS, lockForGood } from './open-database.ts';
import { rememberUses, SqliteConnection } from './sqlite-connection.ts';

/** @param versionFound the format's version when the database was opened */
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
  const folded = database.prepare('SELECT folded FROM state').get()?.['folded'] as number;
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
      unfoldedLogEntries: Math.max(0, Number(newest?.['sequence'] ?? 0) - folded),
      sqlite: database.prepare('SELECT sqlite_version() AS version').get()?.['version'] as string,
    },
  };
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** After a deletion, entries that are missing at the beginning of the log may be deleted ones: so the last pruned number is stored. */
const PRUNED_UP_TO = `
  UPDATE document SET value = json_set(value, '$.prunedTo', max(json_extract(value, '$.prunedTo'), ?))
  WHERE kind = 'log-ends' AND id = 'log'`;

/** The newest entry always stays, because the next number follows from it. */
const FIRST_KEPT = `
  SELECT min(coalesce((SELECT sequence FROM scan_log WHERE at >= ? ORDER BY sequence LIMIT 1), newest), newest) AS sequence
  FROM (SELECT max(sequence) AS newest FROM scan_log)`;

export function prunableLog(database: DatabaseSync, before: number): PrunableLog {
  const kept = (database.prepare(FIRST_KEPT).get(before)?.['sequence'] as number | null) ?? 0;
  const sum = database
    .prepare(
      `SELECT count(*) AS entries, coalesce(sum((status = 'consumed' AND replayed = 0) - (status = 'undone')), 0) AS uses
       FROM scan_log WHERE sequence < ?`,
    )
    .get(kept);
  const atOf = (order: 'ASC' | 'DESC') =>
    (database
      .prepare(`SELECT at FROM scan_log WHERE sequence < ? ORDER BY sequence ${order} LIMIT 1`)
      .get(kept)?.['at'] as number | undefined) ?? null;
  return {
    entries: sum?.['entries'] as number,
    uses: sum?.['uses'] as number,
    firstAt: atOf('ASC'),
    lastAt: atOf('DESC'),
  };
}

/**
 * Removes the oldest entries inside a write transaction; the counters must include them already.
 * @returns how many
 */
export function pruneOldest(database: DatabaseSync, before: number, entriesMax: number): number {
  const newest = database.prepare('SELECT max(sequence) AS sequence FROM scan_log').get();
  const oldest = database
    .prepare('SELECT sequence, at FROM scan_log WHERE sequence < ? ORDER BY sequence LIMIT ?')
    .all((newest?.['sequence'] as number | null) ?? 0, entriesMax);
  const kept = oldest.findIndex((row) => (row['at'] as number) >= before);
  const removed = kept === -1 ? oldest : oldest.slice(0, kept);
  const last = removed.at(-1)?.['sequence'];
  if (last === undefined) return 0;
  database.prepare(rememberUses('<= ?')).run(last);
  const dialect = new SqliteConnection(database);
  database.prepare(countEntries(dialect, 'log_record', '<= ?', 'pruned')).run(last);
  database.prepare('DELETE FROM scan_log WHERE sequence <= ?').run(last);
  database.prepare('DELETE FROM undone_use WHERE sequence <= ?').run(last);
  database.prepare(PRUNED_UP_TO).run(last);
  return removed.length;
}

/** Rewritten in less than the 5 seconds that another process waits for a write. */
const SMALL_BYTES = 128 * 1024 * 1024;
const PATIENCE_MS = 250;

/**
 * Rewrites the database and empties its write-ahead log: only then nothing of a deleted row is left in a free page.
 * @param isPatient also a large one, if no other process has it open
 * @returns false when it was not rewritten, or a reader still needs the write-ahead log
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
    // The next access releases the lock.
    database.prepare('PRAGMA schema_version').get();
  }
}
