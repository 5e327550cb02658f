import { readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Encrypted backups are put together in a folder of this name, beside the store. */
export const BACKUP_FOLDER = 'ticketscan.backup';

/** Of a copy that is under way: `.ticketscan.db.4711.tmp`, by the process that makes it, and what belongs to it. */
const TEMPORARY = /^\.(.+)\.(\d+)\.tmp(?:-wal|-shm|\.log|\.lock|\.format-\d+(?:\.tmp)?)?$/su;

/**
 * Temporary files and folders beside `path` that are for it, and whose process has ended without removing them. On a folder that several
 * machines or containers share, a process of another one cannot be seen, and counts as ended. So call it before this process makes its own.
 */
export function leftBehind(path: string): string[] {
  const folder = dirname(path);
  return readdirSync(folder)
    .filter((name) => {
      const [, of, pid] = TEMPORARY.exec(name) ?? [];
      return of === basename(path) && pid !== undefined && !isOfAnother(Number(pid));
    })
    .map((name) => join(folder, name));
}

/** Removes them: they are complete copies of a store, with the names of its guests. */
export function removeLeftBehind(path: string): void {
  for (const left of leftBehind(path)) rmSync(left, { recursive: true, force: true });
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
