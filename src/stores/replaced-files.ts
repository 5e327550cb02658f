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

/** What a file is by its first bytes: a store of an engine, an encrypted file or an archive; undefined for anything else. */
export type FileKind = 'sqlite' | 'json' | 'age' | 'tar';

/** @throws Error of the system when it cannot be read */
export function kindOfFile(path: string): FileKind | undefined {
  const start = startOfFile(path);
  if (start.startsWith(SQLITE_HEADER)) return 'sqlite';
  if (start.startsWith(AGE_HEADER)) return 'age';
  if (start.startsWith(TAR_MAGIC, TAR_MAGIC_AT)) return 'tar';
  // Other files of JSON have no organisations: targets, settings, keyrings.
  return /^\s*\{/.test(start) && /"organisations"\s*:\s*\[/.test(start) ? 'json' : undefined;
}

/** The first bytes of a file, one character each. @throws Error of the system */
export function startOfFile(path: string): string {
  const start = Buffer.alloc(START_BYTES);
  const length = whileOpen(path, 'r', (file) => readSync(file, start, 0, start.length, 0));
  return start.subarray(0, length).toString('latin1');
}

/** Encrypted backups are put together in a folder of this name, beside the store. */
export const BACKUP_FOLDER = 'ticketscan.backup';

/** Of a copy that is under way: `.ticketscan.db.4711.tmp`, by the process that makes it, and what belongs to it. */
const TEMPORARY =
  /^\.(.+)\.(\d+)\.tmp(?:\.lock(?:-journal)?|\.being-written|\.[0-9a-f]{12}\.tmp|(?:\.db)?(?:-wal|-shm|-journal|\.tmp|\.format-\d+(?:\.tmp)?)?)?$/su;

/** In the head of a SQLite file (its file format, section 1.3). */
const APPLICATION_ID_AT = 68;

/**
 * Temporary files and folders beside `path` whose process has ended without removing them: those for `path`, and copies of a store for any
 * other file. On a folder that several machines or containers share, a process of another one cannot be seen, and counts as ended. So call
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

/** Each backup has a name of its own, as a rule with its date. Other programs call their files like this too. */
function isStore(path: string): boolean {
  try {
    const head = Buffer.from(startOfFile(path), 'latin1');
    return head.readUInt32BE(APPLICATION_ID_AT) === APPLICATION_ID;
  } catch {
    // A folder, or a file that is too short.
    return false;
  }
}

/** In a container every process may have the number 1, as one had that was killed. */
function isOfAnother(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** A store's files, there or not yet, which no other program can use until `release`. */
export interface LockedStore {
  /** Where the files are; the target of a link. */
  readonly path: string;
  readonly isEmpty: boolean;
  /**
   * The uses in the log of the store at this address that came after `entry`, the newest one of a backup.
   * @returns undefined when that is unknown: the store is damaged, or is not the one of the backup
   */
  usesAfter(entry: LogEntry | undefined): number | undefined;
  /**
   * Puts other files of the same engine there; a crash leaves the old store or the new one.
   * @param keptAs new name of the old one
   * @throws Error of the system where the old store is as it was; TicketscanError `store_damaged` where it is uncertain which one is there
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

/** After a change of names: the disk may or may not have it. @throws TicketscanError `store_damaged` */
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
