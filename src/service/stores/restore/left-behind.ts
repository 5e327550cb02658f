import { closeSync, openSync, readdirSync, readSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { APPLICATION_ID } from '../sqlite/application-id.ts';

/** Encrypted backups are put together in a folder of this name, beside the store. */
export const BACKUP_FOLDER = 'ticketscan.backup';

/** Of a copy that is under way: `.ticketscan.db.4711.tmp`, by the process that makes it, and what belongs to it. */
const TEMPORARY = /^\.(.+)\.(\d+)\.tmp(?:-wal|-shm|\.log|\.lock|\.format-\d+(?:\.tmp)?)?$/su;

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
  const head = Buffer.alloc(APPLICATION_ID_AT + 4);
  try {
    const file = openSync(path, 'r');
    try {
      readSync(file, head);
    } finally {
      closeSync(file);
    }
  } catch {
    return false;
  }
  return head.readUInt32BE(APPLICATION_ID_AT) === APPLICATION_ID;
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
