import { existsSync, linkSync, renameSync, rmSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { TicketscanError } from '../../core/errors.ts';
import type { LogEntry } from '../../core/records.ts';
import { linkTarget } from '../file-guards.ts';
import {
  keepAs,
  kindOfFile,
  type LockedStore,
  moveIfThere,
  syncNamesBeside,
  syncReplaced,
  uncertain,
} from '../replaced-files.ts';
import { explain, isSqliteBusy } from './failures.ts';
import { lockForGood, refuseForeignFile } from './open-database.ts';

/** How long to wait for another program: a command takes milliseconds, a server stays. */
const PATIENCE_MS = 1000;

/**
 * Locks a database of any format for this program, or the path of a database to be made.
 * @throws TicketscanError `store_busy` while any other program has it open, `store_damaged` for a database of another program
 */
export function lockDatabase(named: string): LockedStore {
  const path = linkTarget(named);
  // Opening a file that is not a database would remove its write-ahead log.
  if (!existsSync(path) || isNoDatabase(path)) return new LockedDatabase(path, undefined);
  const database = new DatabaseSync(path, { timeout: PATIENCE_MS });
  try {
    refuseForeignFile(database, path);
    lockForGood(database);
    return new LockedDatabase(path, database);
  } catch (error) {
    database.close();
    if (isSqliteBusy(error)) throw inUse(path, error);
    const explained = explain(error, path);
    // A damaged database cannot be locked. A server that still has it open notices that the file was replaced.
    if (explained === error || !isDamage(explained)) throw explained;
    return new LockedDatabase(path, undefined);
  }
}

class LockedDatabase implements LockedStore {
  readonly path: string;
  readonly isEmpty: boolean;
  /** The database; undefined if there is none, or if it is damaged. */
  readonly #database: DatabaseSync | undefined;

  constructor(path: string, database: DatabaseSync | undefined) {
    this.path = path;
    this.isEmpty = !existsSync(path);
    this.#database = database;
  }

  usesAfter(entry: LogEntry | undefined): number | undefined {
    if (this.isEmpty) return 0;
    try {
      return this.#usesAfter(entry);
    } catch {
      // The database has no tables, or is damaged.
      return undefined;
    }
  }

  #usesAfter(entry: LogEntry | undefined): number | undefined {
    const same = this.#database?.prepare('SELECT at FROM scan_log WHERE sequence = ?');
    if (entry && same?.get(entry.sequence)?.['at'] !== entry.at) return undefined;
    const uses = this.#database
      ?.prepare(
        `SELECT count(*) AS uses FROM scan_log WHERE sequence > ? AND status = 'consumed' AND replayed = 0`,
      )
      .get(entry?.sequence ?? 0);
    return uses?.['uses'] as number | undefined;
  }

  replaceBy(staged: string, keptAs: string): void {
    // From here on the store is one file: the write-ahead log of the old store must never be applied to the new one.
    this.#database?.exec('PRAGMA journal_mode = DELETE');
    if (!this.isEmpty) keepAs(this.path, keptAs);
    moveIfThere(`${this.path}-wal`, `${keptAs}-wal`);
    try {
      this.#take(staged);
    } catch (error) {
      this.#giveBack(keptAs, error);
      throw error;
    }
    syncReplaced(this.path);
  }

  #take(staged: string): void {
    rmSync(`${this.path}-shm`, { force: true });
    syncNamesBeside(this.path);
    // Windows does not replace an open file.
    if (process.platform === 'win32') this.#database?.close();
    // If there was no store, a server may have made one meanwhile: then the link fails.
    if (this.isEmpty) linkSync(staged, this.path);
    else renameSync(staged, this.path);
  }

  /** Keeps the old store: removes its second name, and gives it its write-ahead log back. */
  #giveBack(keptAs: string, cause: unknown): void {
    try {
      // A store that a server made meanwhile has a log of its own.
      if (this.isEmpty) return;
      moveIfThere(`${keptAs}-wal`, `${this.path}-wal`);
      rmSync(keptAs, { force: true });
    } catch {
      throw uncertain(this.path, cause);
    }
  }

  release(): void {
    if (this.#database?.isOpen) this.#database.close();
  }
}

function isNoDatabase(path: string): boolean {
  return statSync(path).size > 0 && kindOfFile(path) !== 'sqlite';
}

function isDamage(error: unknown): boolean {
  return (
    error instanceof TicketscanError && error.code === 'store_damaged' && error.cause !== undefined
  );
}

function inUse(path: string, cause: unknown): TicketscanError {
  return new TicketscanError(
    'store_busy',
    `${path} is in use. Stop every program that has it open (ticketscan serve) first. Nothing was changed.`,
    { cause },
  );
}
