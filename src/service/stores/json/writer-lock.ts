import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { DatabaseSync } from 'node:sqlite';
import { messageOf, TicketscanError } from '../../../core/errors.ts';
import { createForOwner } from '../owner-only.ts';
import { SQLITE, sqliteCodeOf } from '../sqlite-codes.ts';

/** Two programs that start together may meet while one writes its name. */
const PATIENCE_MS = 250;

export interface WriterLock {
  release(): void;
}

/**
 * Takes the lock of a store that has one writer. The file beside the store is a small database, because the system
 * itself takes away a database's lock from a process that ended, however it ended: there is no stale lock to judge. The
 * file stays; removing it could give two processes a lock each.
 * @throws TicketscanError `store_busy` that names the holder, `store_unavailable` when the file cannot be written
 */
export function takeWriterLock(storePath: string): WriterLock {
  let database: DatabaseSync | undefined;
  try {
    const path = `${storePath}.lock`;
    // Whoever may read the file may hold a lock on it and keep the writer out.
    createForOwner(path);
    database = new DatabaseSync(path, { timeout: PATIENCE_MS });
    const token = randomUUID();
    signIn(database, token);
    // Reserved, not exclusive: others may read who holds it.
    database.exec('BEGIN IMMEDIATE');
    // Between the two transactions another may have signed in, and must not be named as if it were this one.
    if (holderOf(database)?.['token'] !== token) throw busy(storePath, database);
  } catch (error) {
    const explained = explain(error, storePath, database);
    database?.close();
    throw explained;
  }
  const held = database;
  return { release: () => held.close() };
}

function signIn(database: DatabaseSync, token: string): void {
  database.exec('BEGIN IMMEDIATE');
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

function explain(error: unknown, storePath: string, database: DatabaseSync | undefined): unknown {
  if (error instanceof TicketscanError) return error;
  const code = sqliteCodeOf(error);
  if (code === undefined) return error;
  if (database && code === SQLITE.BUSY) return busy(storePath, database);
  if (code === SQLITE.CORRUPT || code === SQLITE.NOTADB) {
    return new TicketscanError(
      'store_damaged',
      `${storePath}.lock is damaged. It contains only the lock: remove it while no program uses the store.`,
      { cause: error },
    );
  }
  return new TicketscanError(
    'store_unavailable',
    `${storePath}.lock cannot be written (${messageOf(error)}). Check the permissions of the folder.`,
    { cause: error },
  );
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
