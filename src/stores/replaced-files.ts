import {
  copyFileSync,
  existsSync,
  linkSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isoTime } from '../core/clock.ts';
import { TicketscanError } from '../core/errors.ts';
import type { LogEntry } from '../core/records.ts';
import { fileFailure } from '../kit/failures.ts';
import { syncPathNow, whileOpen } from '../kit/files.ts';
import { APPLICATION_ID } from './sqlite/migrations.ts';

const SQLITE_HEADER = 'SQLite format 3\0';
const AGE_HEADER = 'age-encryption.org/v1\n';
const TAR_MAGIC = 'ustar';
const TAR_MAGIC_AT = 257;
const START_BYTES = 4096;

/** The kind of a file, found in its first bytes: a store of some kind, an encrypted file or an archive. */
export type FileKind = 'sqlite' | 'json' | 'age' | 'tar';

/** @returns undefined for any other kind @throws Error of the system if the file cannot be read */
export function kindOfFile(path: string): FileKind | undefined {
  const start = startOfFile(path);
  if (start.startsWith(SQLITE_HEADER)) return 'sqlite';
  if (start.startsWith(AGE_HEADER)) return 'age';
  if (start.startsWith(TAR_MAGIC, TAR_MAGIC_AT)) return 'tar';
  // Other JSON files (targets, settings, keyrings) have no organisations.
  return /^\s*\{/.test(start) && /"organisations"\s*:\s*\[/.test(start) ? 'json' : undefined;
}

/** The first bytes of a file, one character each. @throws Error of the system */
export function startOfFile(path: string): string {
  const start = Buffer.alloc(START_BYTES);
  const length = whileOpen(path, 'r', (file) => readSync(file, start, 0, start.length, 0));
  return start.subarray(0, length).toString('latin1');
}

/** An encrypted backup is assembled in a folder of this name, beside the store. */
export const BACKUP_FOLDER = 'ticketscan.backup';

/** The names of the files of an unfinished copy, such as `.ticketscan.db.4711.tmp`; the number is the process that makes the copy. */
const TEMPORARY =
  /^\.(.+)\.(\d+)\.tmp(?:\.lock(?:-journal)?|\.being-written|\.[0-9a-f]{12}\.tmp|(?:\.db)?(?:-wal|-shm|-journal|\.tmp|\.format-\d+(?:\.tmp)?)?)?$/su;

/** The offset of the application id in the head of a SQLite file (SQLite's file format, section 1.3). */
const APPLICATION_ID_AT = 68;

/**
 * Finds temporary files and folders beside `path` whose process ended without removing them: those for `path`, and unfinished copies of any
 * store. If several machines or containers share the folder, their processes cannot be seen and count as ended. So call
 * it before this process makes its own.
 */
export function leftBehind(path: string): string[] {
  const folder = dirname(path);
  return readdirSync(folder)
    .filter((name) => {
      const [, of, pid] = TEMPORARY.exec(name) ?? [];
      if (of === undefined || pid === undefined || isOfAnother(Number(pid))) return false;
      return of === basename(path) || isStore(join(folder, `.${of}.${pid}.tmp`));
    })
    .map((name) => join(folder, name));
}

/** Removes them: they are complete copies of a store, with the names of its guests. */
export function removeLeftBehind(path: string): void {
  for (const left of leftBehind(path)) rmSync(left, { recursive: true, force: true });
}

/** Whether a file is a store. The name does not say so: each backup has its own, and other programs use such names too. */
function isStore(path: string): boolean {
  try {
    const head = Buffer.from(startOfFile(path), 'latin1');
    return head.readUInt32BE(APPLICATION_ID_AT) === APPLICATION_ID;
  } catch {
    // It is a folder, or the file is too short.
    return false;
  }
}

/** Whether another process with this number runs. In a container this process may have the number 1, as the killed one had. */
function isOfAnother(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** The files of a store, or of a store to be made. No other program can use them until `release`. */
export interface LockedStore {
  /** Where the files are; the target of a link. */
  readonly path: string;
  readonly isEmpty: boolean;
  /**
   * Counts the uses in the log of the store at this address that came after `entry`, the newest entry of a backup.
   * @returns undefined if it is unknown: the store is damaged, or the backup is of another store
   */
  usesAfter(entry: LogEntry | undefined): number | undefined;
  /**
   * Puts other files of the same kind of store there; a crash leaves the old store or the new one.
   * @param keptAs new name of the old one
   * @throws Error of the system if the old store is as it was; TicketscanError `store_damaged` if it is uncertain which one is there
   */
  replaceBy(staged: string, keptAs: string): void;
  release(): void;
}

/** A new name for a store that is replaced: `ticketscan.db.replaced-20261122T130500Z`. */
export function nameForReplaced(path: string, now: number): string {
  const time = (isoTime(now) ?? '').replaceAll(/[-:]|\.\d+/gu, '');
  const name = `${path}.replaced-${time}`;
  for (let number = 1; ; number += 1) {
    const free = number === 1 ? name : `${name}-${number}`;
    if (!existsSync(free)) return free;
  }
}

/** Files that a restore replaced, and those that it was about to replace when it was killed. */
export function replacedBeside(path: string): string[] {
  const folder = dirname(path);
  return readdirSync(folder)
    .filter((name) => name.startsWith(`${basename(path)}.replaced-`))
    .map((name) => join(folder, name));
}

/** The end of a name that `nameForReplaced` made, also for the database beside a document. */
const REPLACED = /\.replaced-\d{8}T\d{6}Z(?:-\d+)?(?:\.db)?$/u;

/** Whether a restore gives such a name to the store that it replaces, or to the one that it puts there. */
export function isNameOfRestore(path: string): boolean {
  return REPLACED.test(path) || TEMPORARY.test(basename(path));
}

/** Gives a file a second name, and leaves the first: at every moment something is there. */
export function keepAs(path: string, name: string): void {
  try {
    linkSync(path, name);
  } catch {
    // A file system without links, such as FAT.
    copyFileSync(path, name);
    syncPathNow(name);
  }
}

export function moveIfThere(path: string, name: string): void {
  if (existsSync(path)) renameSync(path, name);
}

/** Writes a change of names to the disk. @throws TicketscanError `store_damaged` if the disk may or may not have it */
export function syncReplaced(path: string): void {
  try {
    syncNamesBeside(path);
  } catch (error) {
    throw uncertain(path, error);
  }
}

export function uncertain(path: string, cause: unknown): TicketscanError {
  return new TicketscanError(
    'store_damaged',
    `${path} was being replaced when the disk failed (${fileFailure(cause)}): it is the old store or the restored one. ` +
      'Check the disk, and restore again.',
    { cause },
  );
}

export function syncNamesBeside(path: string): void {
  syncPathNow(dirname(path));
}
