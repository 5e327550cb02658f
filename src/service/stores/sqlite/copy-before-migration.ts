import { readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { messageOf, TicketscanError } from '../../../core/errors.ts';
import { syncPathNow } from '../../../kit/files.ts';
import { createForOwner } from '../file-guards.ts';
import { SQLITE, sqliteCodeOf } from '../sqlite-codes.ts';

/** Each is as large as the store was. */
const COPIES_KEPT = 3;

/**
 * Copies a database of format `version` beside it, before its format changes: the way back to the program that wrote it (ADR 0088). The
 * copy has its name when it is complete and on the disk. Removes older copies, so that three stay. The caller holds the exclusive lock.
 * @returns the file of the copy
 * @throws TicketscanError `store_unavailable` where there is no room for it; an error of SQLite for a damaged database
 */
export function copyBeforeMigration(database: DatabaseSync, path: string, version: number): string {
  const copy = `${path}.format-${version}`;
  const temporary = `${copy}.tmp`;
  try {
    rmSync(temporary, { force: true });
    createForOwner(temporary);
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

/** The copies that were made of the store at `path`, the newest format first. */
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
