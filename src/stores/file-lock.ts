import { randomUUID } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { hostname } from 'node:os';
import { DatabaseSync } from 'node:sqlite';
import { messageOf, TicketscanError } from '../core/errors.ts';
import { accessProblem } from '../kit/file-access.ts';
import { createForOwner } from './file-guards.ts';
import { isSqliteBusy, SQLITE, sqliteCodeOf } from './sqlite/failures.ts';

/** Changes of a small file take milliseconds; many commands at once wait for one another. */
const CHANGE_WAIT_MS = 15_000;

// A lock is a small database beside the file, because the system releases the lock of a database when its process ends, however
// it ends: there are no stale locks to judge (ADR 0012). The file stays; removing it could give two processes a lock each.

/**
 * Runs `work` while no other process does the same for `path`; processes wait for each other.
 * @throws TicketscanError `conflict` when another process does not finish, `store_unavailable` when the folder cannot be
 *   written; and what `work` throws
 */
export function whileLocked<Result>(path: string, work: () => Result): Result {
  const lock = lockBeside(path, CHANGE_WAIT_MS, begin, changing);
  try {
    return work();
  } finally {
    lock.close();
  }
}

/** The lock is reserved, not exclusive: others may read who holds it. */
function begin(database: DatabaseSync): void {
  database.exec('BEGIN IMMEDIATE');
}

function changing(path: string): TicketscanError {
  const message = `Another program has been changing ${path} for ${CHANGE_WAIT_MS / 1000} s. Try again when it has finished.`;
  return new TicketscanError('conflict', message);
}

/** Two programs that start together may meet while one writes its name. */
const WRITER_WAIT_MS = 250;

export interface WriterLock {
  release(): void;
}

/**
 * Takes the lock of a store that has one writer.
 * @throws TicketscanError `store_busy` that names the holder, `store_unavailable` when the file cannot be written
 */
export function takeWriterLock(storePath: string): WriterLock {
  const take = (database: DatabaseSync) => {
    const token = randomUUID();
    signIn(database, token);
    begin(database);
    // Another process may have signed in between the two transactions.
    if (holderOf(database)?.['token'] !== token) throw busy(storePath, database);
  };
  const lock = lockBeside(storePath, WRITER_WAIT_MS, take, busy);
  return { release: () => lock.close() };
}

function lockBeside(
  path: string,
  waitMs: number,
  take: (database: DatabaseSync) => void,
  refusal: (path: string, database: DatabaseSync) => TicketscanError,
): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    // A user who can read the file can lock it and keep the writer out.
    refuseLink(path);
    createForOwner(`${path}.lock`);
    const made = identityOf(path);
    database = new DatabaseSync(`${path}.lock`, { timeout: waitMs });
    // SQLite follows links, so a link that was put there in between must not be written to.
    refuseLink(path, made);
    take(database);
    return database;
  } catch (error) {
    const explained =
      database && isSqliteBusy(error) ? refusal(path, database) : explain(error, path);
    database?.close();
    throw explained;
  }
}

/** The lock file must not be a link: somebody who may write to the folder could make root create or change any file. */
function refuseLink(path: string, made?: string): void {
  const isLink = lstatSync(`${path}.lock`, { throwIfNoEntry: false })?.isSymbolicLink();
  if (!isLink && (made === undefined || identityOf(path) === made)) return;
  throw new TicketscanError(
    'store_unavailable',
    `${path}.lock is a link, and a lock file never is one. Find out who made it, then remove it: it holds only the lock.`,
  );
}

function identityOf(path: string): string | undefined {
  const found = lstatSync(`${path}.lock`, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev} ${found.ino}`;
}

function signIn(database: DatabaseSync, token: string): void {
  begin(database);
  database.exec(
    'CREATE TABLE IF NOT EXISTS holder (one INTEGER PRIMARY KEY, token TEXT, pid INTEGER, host TEXT, since TEXT) STRICT',
  );
  database
    .prepare('INSERT OR REPLACE INTO holder VALUES (1, ?, ?, ?, ?)')
    .run(token, process.pid, hostname(), new Date().toISOString());
  database.exec('COMMIT');
}

function holderOf(database: DatabaseSync): Record<string, unknown> | undefined {
  return database.prepare('SELECT * FROM holder').get();
}

function explain(error: unknown, path: string): unknown {
  const code = sqliteCodeOf(error);
  if (code === undefined) return error;
  const isDamaged = code === SQLITE.CORRUPT || code === SQLITE.NOTADB;
  const message = isDamaged
    ? `${path}.lock is damaged. It contains only the lock: remove it while no program uses ${path}.`
    : `${path}.lock cannot be written: ${accessProblem(`${path}.lock`) ?? `${messageOf(error)}. Check the permissions of the folder.`}`;
  return new TicketscanError(isDamaged ? 'store_damaged' : 'store_unavailable', message, {
    cause: error,
  });
}

function busy(storePath: string, database: DatabaseSync): TicketscanError {
  return new TicketscanError(
    'store_busy',
    `${storePath} is in use by ${holderText(database)}. Only one program at a time can use a json: store: stop that one first ` +
      '(with Ctrl-C or SIGTERM), use a running server instead (--url), or move the data to a sqlite: store, ' +
      'which several programs can share.',
  );
}

function holderText(database: DatabaseSync): string {
  try {
    const holder = holderOf(database);
    if (!holder) return 'another process';
    const { pid, host, since } = holder;
    const where = host === hostname() ? '' : ` on ${host}`;
    return pid === process.pid && where === ''
      ? `this process (${pid}) already, since ${since}`
      : `process ${pid}${where}, since ${since}`;
  } catch {
    return 'another process';
  }
}
