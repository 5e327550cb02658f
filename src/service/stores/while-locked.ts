import { DatabaseSync } from 'node:sqlite';
import { messageOf, TicketscanError } from '../../core/errors.ts';
import { createForOwner } from './owner-only.ts';
import { isSqliteBusy } from './sqlite-codes.ts';

/** Changes of a small file take milliseconds; many commands at once wait for one another. */
const PATIENCE_MS = 15_000;

/**
 * Runs `work` while no other process does the same for `path`; one waits for the other. The lock is a small database beside
 * the file, because the system itself takes its lock away from a process that ended (ADR 0012). The file stays; removing
 * it could give two processes a lock each.
 * @throws TicketscanError `conflict` when another process does not finish, `store_unavailable` when the folder cannot be
 *   written; and what `work` throws
 */
export function whileLocked<Result>(path: string, work: () => Result): Result {
  const lock = takeLock(path);
  try {
    return work();
  } finally {
    lock.close();
  }
}

function takeLock(path: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    createForOwner(`${path}.lock`);
    database = new DatabaseSync(`${path}.lock`, { timeout: PATIENCE_MS });
    database.exec('BEGIN IMMEDIATE');
    return database;
  } catch (error) {
    database?.close();
    if (isSqliteBusy(error)) {
      const message = `Another program has been changing ${path} for ${PATIENCE_MS / 1000} s. Try again when it has finished.`;
      throw new TicketscanError('conflict', message, { cause: error });
    }
    const message = `${path}.lock cannot be used (${messageOf(error)}). Check the permissions of the folder.`;
    throw new TicketscanError('store_unavailable', message, { cause: error });
  }
}
