import { readdirSync, renameSync, rmSync } from 'node:fs';
import { totalmem } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { messageOf, TicketscanError } from '../../core/errors.ts';
import { syncPathNow } from '../../kit/files.ts';
import { createForOwner, createTemporary, OpenedFiles } from '../file-guards.ts';
import { refuseSecondName, removeNamesOfRestore } from '../second-names.ts';
import {
  type FormatOptions,
  type FoundFormat,
  fingerprintOf,
  refuseOtherFormat,
} from '../store-format.ts';
import { BUSY_TIMEOUT_MS, explain, isSqliteBusy, SQLITE, sqliteCodeOf } from './failures.ts';
import { APPLICATION_ID, MIGRATIONS } from './migrations.ts';

/** The pause between two tries to get the write lock. */
const LOCK_POLL_MS = 1;
/** The cache of pages: a large store may use a part of the machine's memory for it. */
const CACHE_MIB_MIN = 96;
const CACHE_MIB_MAX = 1024;
const CACHE_PART = 1 / 16;
/** How many pages the write-ahead log may have before its pages are written into the file. A counter that changes often is then written once. */
const CHECKPOINT_PAGES = 4000;

export interface OpenedDatabase {
  readonly database: DatabaseSync;
  /** The version of its format before it was brought up to date; 0 for a new one. */
  readonly versionFound: number;
}

export interface OpenOptions extends FormatOptions {
  /** Other migrations than those of this program, for tests of a later version. */
  readonly migrations?: readonly string[];
}

/**
 * Opens (and creates or migrates) the database of a store so that a commit is durable when it returns.
 * @param path a file, or `:memory:`
 * @throws TicketscanError `store_unavailable`, `store_busy`, `store_newer` or `store_damaged`, each with what to do
 */
export function openDatabase(path: string, options: OpenOptions = {}): OpenedDatabase {
  let database: DatabaseSync | undefined;
  try {
    createForOwner(path);
    if (!options.isOpenAlready) refuseSecondName(path);
    const named = new OpenedFiles(path);
    database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
    refuseForeignFile(database, path);
    makeDurable(database, path);
    const versionFound = migrate(database, path, options);
    // A restore may have replaced the file during the wait for its lock.
    named.mustBeThere();
    // A restore would need the database alone, so none is at work now.
    removeNamesOfRestore(path);
    return { database, versionFound };
  } catch (error) {
    database?.close();
    throw explain(error, path);
  }
}

/** Runs `work` in one write transaction; rolls back when it throws. */
export function inTransaction<Result>(database: DatabaseSync, work: () => Result): Result {
  const transaction = beginWriting(database);
  try {
    const result = work();
    transaction.commit();
    return result;
  } catch (error) {
    transaction.rollBack();
    throw error;
  }
}

/** Begins a write transaction for asynchronous work, which `inTransaction` cannot run. */
export function beginWriting(database: DatabaseSync): { commit(): void; rollBack(): void } {
  takeWriteLock(database);
  return {
    commit: () => database.exec('COMMIT'),
    rollBack: () => {
      if (database.isTransaction) database.exec('ROLLBACK');
    },
  };
}

/**
 * Takes the write lock. SQLite itself would wait up to 25 ms between two tries, and would miss the time between two transactions of another
 * process.
 */
function takeWriteLock(database: DatabaseSync): void {
  const endAt = performance.now() + BUSY_TIMEOUT_MS;
  database.exec(`PRAGMA busy_timeout = ${LOCK_POLL_MS}`);
  try {
    for (;;) {
      try {
        database.exec('BEGIN IMMEDIATE');
        return;
      } catch (error) {
        if (!isSqliteBusy(error) || performance.now() >= endAt) throw error;
      }
    }
  } finally {
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }
}

/** @throws TicketscanError `store_damaged` when it is a database of another program */
export function refuseForeignFile(database: DatabaseSync, path: string): void {
  const empty = pragma(database, 'schema_version') === 0;
  if (!empty && pragma(database, 'application_id') !== APPLICATION_ID) {
    throw new TicketscanError(
      'store_damaged',
      `${path} is a database, but not a ticketscan store. Name another file with --store.`,
    );
  }
}

function cacheMib(): number {
  // A container may have less memory than the machine; 0 means that no limit is known.
  const bytes = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  const part = Math.floor((bytes / 2 ** 20) * CACHE_PART);
  return Math.min(CACHE_MIB_MAX, Math.max(CACHE_MIB_MIN, part));
}

/** Makes commits durable. Both settings are read back: a build of SQLite or a file system may refuse them silently. */
function makeDurable(database: DatabaseSync, path: string): void {
  database.exec('PRAGMA journal_mode = WAL');
  database.exec('PRAGMA synchronous = FULL');
  database.exec(`PRAGMA cache_size = -${cacheMib() * 1024}`);
  database.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  database.exec('PRAGMA foreign_keys = ON');
  const journal = pragma(database, 'journal_mode');
  const synchronous = pragma(database, 'synchronous');
  if ((path !== ':memory:' && journal !== 'wal') || synchronous !== 2) {
    throw new TicketscanError(
      'store_unavailable',
      `${path} cannot keep a use through a power cut here (journal ${journal}, synchronous ${synchronous}). ` +
        'Move it to a local disk: network file systems cannot guarantee that.',
    );
  }
}

/**
 * Brings a database up to date while no other program has it open: a server of an earlier version would continue with names that no
 * longer exist. A copy of the earlier format stays beside it. Returns the version that it found.
 */
function migrate(database: DatabaseSync, path: string, options: OpenOptions): number {
  const { migrations = MIGRATIONS } = options;
  const found = formatOf(database);
  if (found) refuseOtherFormat(path, found, migrations, options);
  if (found?.version === migrations.length) return found.version;
  try {
    if (found) {
      lockForGood(database);
      copyBeforeMigration(database, path, found.version);
    }
    return inTransaction(database, () => migrateFrom(database, path, migrations));
  } catch (error) {
    throw found && isSqliteBusy(error) ? inUse(path, error) : error;
  } finally {
    database.exec('PRAGMA locking_mode = NORMAL');
    // The next access releases the lock.
    pragma(database, 'schema_version');
  }
}

/** Locks every other program out, also between transactions, until the locking mode is normal again. */
export function lockForGood(database: DatabaseSync): void {
  database.exec('PRAGMA locking_mode = EXCLUSIVE');
  inTransaction(database, () => undefined);
}

function migrateFrom(database: DatabaseSync, path: string, migrations: readonly string[]): number {
  // Another process may have been faster.
  const found = formatOf(database);
  if (found) refuseOtherFormat(path, found, migrations);
  const version = found?.version ?? 0;
  for (const migration of migrations.slice(version)) database.exec(migration);
  database.exec(`
    CREATE TABLE IF NOT EXISTS store_format (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), fingerprint TEXT NOT NULL) STRICT;
    INSERT OR REPLACE INTO store_format VALUES (1, '${fingerprintOf(migrations)}');
    PRAGMA application_id = ${APPLICATION_ID};
    PRAGMA user_version = ${migrations.length}`);
  return version;
}

/** @throws TicketscanError for the reasons of `refuseOtherFormat` */
export function refuseUnknownFormat(database: DatabaseSync, path: string): void {
  const found = formatOf(database);
  if (found) refuseOtherFormat(path, found, MIGRATIONS);
}

/** The format of a database; undefined if it is still empty. */
function formatOf(database: DatabaseSync): FoundFormat | undefined {
  if (pragma(database, 'schema_version') === 0) return undefined;
  const hasFingerprint = database
    .prepare("SELECT 1 FROM sqlite_schema WHERE name = 'store_format'")
    .get();
  const row = hasFingerprint && database.prepare('SELECT fingerprint FROM store_format').get();
  const fingerprint = row?.['fingerprint'] as string | undefined;
  return { version: Number(pragma(database, 'user_version')), fingerprint };
}

function inUse(path: string, cause: unknown): TicketscanError {
  return new TicketscanError(
    'store_busy',
    `${path} was written by an earlier version, and a program has it open. Stop that program (ticketscan serve) first: this ` +
      'version changes the format. Nothing was changed.',
    { cause },
  );
}

function pragma(database: DatabaseSync, name: string): unknown {
  const row = database.prepare(`PRAGMA ${name}`).get();
  return row?.[name];
}

/** How many copies are kept: each is as large as the store was. */
const COPIES_KEPT = 3;

/**
 * Copies a database of format `version` beside it before its format changes, as the way back to the program that wrote it (ADR 0088). The
 * copy gets its name when it is complete and on the disk. Removes older copies, so that three stay. The caller holds the exclusive lock.
 * @returns the file of the copy
 * @throws TicketscanError `store_unavailable` if there is no room for it; an error of SQLite for a damaged database
 */
function copyBeforeMigration(database: DatabaseSync, path: string, version: number): string {
  const copy = `${path}.format-${version}`;
  const temporary = `${copy}.tmp`;
  try {
    rmSync(temporary, { force: true });
    createTemporary(temporary);
    database.prepare('VACUUM INTO ?').run(temporary);
    syncPathNow(temporary);
    renameSync(temporary, copy);
    syncPathNow(dirname(path));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw withAdvice(error, path);
  }
  for (const old of copiesBeforeMigration(path).slice(COPIES_KEPT)) rmSync(old);
  return copy;
}

/** The copies of the store at `path`, the newest format first. */
export function copiesBeforeMigration(path: string): string[] {
  const start = `${basename(path)}.format-`;
  const formatOf = (name: string) => Number(name.slice(start.length));
  return readdirSync(dirname(path))
    .filter((name) => name.startsWith(start) && Number.isInteger(formatOf(name)))
    .sort((one, other) => formatOf(other) - formatOf(one))
    .map((name) => join(dirname(path), name));
}

function withAdvice(error: unknown, path: string): unknown {
  if (sqliteCodeOf(error) === SQLITE.CORRUPT) return error;
  return new TicketscanError(
    'store_unavailable',
    `${path} was written by an earlier version, and is copied before its format changes. The copy failed (${messageOf(error)}). ` +
      'Make room in its folder for a copy, then try again. The store was not changed.',
    { cause: error },
  );
}
