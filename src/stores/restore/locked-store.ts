import { copyFileSync, existsSync, linkSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { isoTime } from '../../core/clock.ts';
import { TicketscanError } from '../../core/errors.ts';
import type { LogEntry } from '../../core/records.ts';
import { fileFailure } from '../../kit/failures.ts';
import { syncPathNow } from '../../kit/files.ts';

/** A store's files, or the place for them, which no other program can use until `release`. */
export interface LockedStore {
  /** Where the files are; the target of a link. */
  readonly path: string;
  readonly isEmpty: boolean;
  /**
   * The uses in the log of the store at this place that came after `entry`, the newest one of a backup.
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
