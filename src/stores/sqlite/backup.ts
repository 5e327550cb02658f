import { closeSync, fdatasyncSync, openSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { TicketscanError } from '../../core/errors.ts';
import { syncPath } from '../../kit/files.ts';
import { createTemporary } from '../file-guards.ts';
import { refuseSecondName } from '../second-names.ts';
import type { VerifyReport } from '../store.ts';
import { BUSY_TIMEOUT_MS, explain } from './failures.ts';
import { copiesBeforeMigration, refuseForeignFile, refuseUnknownFormat } from './open-database.ts';
import { openSqliteStore } from './sqlite-store.ts';

/** A step of 1 MiB takes a few milliseconds with its sync, and the sync of a scan may wait for one. */
const PAGES_PER_STEP = 256;

/**
 * Copies the state of the database at `path` while others read and write it, verifies the copy, and gives it
 * its name only when it is sound and on the disk.
 * @param temporary a path beside the target
 * @param onProgress gets the number of pages that are done, and of all pages
 * @throws TicketscanError `store_damaged` if the copy is not sound; any `store_…` that opening a store throws
 */
export async function backupDatabase(
  path: string,
  target: string,
  temporary: string,
  onProgress: (pages: number, pagesInAll: number) => void,
): Promise<VerifyReport> {
  try {
    await copyPages(path, temporary, onProgress);
    const report = await verifyCopy(temporary);
    await rename(temporary, target);
    await syncPath(dirname(target));
    return report;
  } catch (error) {
    for (const end of ['', '-wal', '-shm']) await rm(`${temporary}${end}`, { force: true });
    throw explain(error, target);
  } finally {
    // Opening the copy makes these files if the store has an earlier format.
    for (const copy of copiesBeforeMigration(temporary)) await rm(copy, { force: true });
  }
}

async function copyPages(
  path: string,
  temporary: string,
  onProgress: (pages: number, pagesInAll: number) => void,
): Promise<void> {
  const source = openSource(path);
  let copy: number | undefined;
  try {
    createTemporary(temporary);
    const file = openSync(temporary, 'r+');
    copy = file;
    await backup(source, temporary, {
      rate: PAGES_PER_STEP,
      progress: ({ totalPages, remainingPages }) => {
        // The copy is synced in small parts: a scan's own sync would wait for all that is not yet on the disk.
        fdatasyncSync(file);
        onProgress(totalPages - remainingPages, totalPages);
      },
    });
  } finally {
    // The file must not be closed earlier: closing it releases all locks of the process on it.
    if (copy !== undefined) closeSync(copy);
    source.close();
  }
}

/** Opens the source with a read transaction, which keeps the state: otherwise each write by another connection would restart the copy. */
function openSource(path: string): DatabaseSync {
  let source: DatabaseSync | undefined;
  try {
    // By another name, what a server wrote last would be missing.
    refuseSecondName(path);
    source = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
    refuseForeignFile(source, path);
    refuseUnknownFormat(source, path);
    source.exec('BEGIN');
    source.prepare('SELECT count(*) FROM sqlite_schema').get();
    return source;
  } catch (error) {
    source?.close();
    throw explain(error, path);
  }
}

/** Verifies the copy. Opening and closing it also flushes pending uses into the counters, and leaves one file. */
async function verifyCopy(temporary: string): Promise<VerifyReport> {
  const copy = await openSqliteStore(temporary);
  let report: VerifyReport;
  try {
    report = await copy.verify();
    // A server that is started on this file must not decide what a site may decide.
    await copy.forgetSite();
  } finally {
    await copy.close();
  }
  if (report.problems.length > 0) {
    throw new TicketscanError(
      'store_damaged',
      `The backup was NOT made, because the store is not sound: ${report.problems[0]} See ticketscan audit.`,
    );
  }
  await syncPath(temporary);
  return report;
}
