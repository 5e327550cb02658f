import {
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { TicketscanError } from '../core/errors.ts';
import { OWNER_ONLY, takeOwnerOf } from '../kit/files.ts';

const OTHERS = 0o077;

/**
 * Makes an empty file with mode 0600 before SQLite opens it. SQLite itself would make it readable for all users, and it gives the
 * -wal and -shm files the same mode and owner. A file that root makes belongs to the owner of its folder. A file that exists stays
 * as it is. If the file cannot be made, opening it fails later.
 */
export function createForOwner(path: string): void {
  if (path === ':memory:') return;
  try {
    // The file is made exclusively: closing any other handle of a database would drop the locks that this process holds on it.
    const target = linkedFile(path);
    const file = openSync(target, 'wx', OWNER_ONLY);
    takeOwnerOf(file, dirname(target));
    closeSync(file);
  } catch {
    // It exists already, or opening it reports why that is not possible.
  }
}

/** Makes an empty file whose name can be guessed, such as that of a copy in progress. Removes a link that somebody put there. */
export function createTemporary(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(path);
  createForOwner(path);
}

/** The target of a link, even if it does not exist: SQLite would make that file readable for all. */
function linkedFile(path: string): string {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink();
  return isLink ? linkedFile(resolve(dirname(path), readlinkSync(path))) : path;
}

/** The file that a link leads to; the path itself if there is no file. */
export function linkTarget(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

/** The files that users other than the owner may read or write; empty on Windows, which has other rules. */
export function openToOthers(paths: readonly string[]): string[] {
  if (process.platform === 'win32') return [];
  return paths.filter((path) => {
    const found = statSync(path, { throwIfNoEntry: false });
    return found !== undefined && (found.mode & OTHERS) !== 0;
  });
}

/**
 * The files that a store has open. A write to a file that was deleted, moved or replaced meanwhile is lost, and must
 * not be acknowledged (ADR 0071).
 */
export class OpenedFiles {
  readonly #known = new Map<string, string | undefined>();

  /** @param paths the first one exists, unless the store is in memory; others may be made later */
  constructor(...paths: readonly string[]) {
    for (const path of paths) this.#known.set(path, identityOf(path));
  }

  /** Call it after a change and before the change is acknowledged. @throws TicketscanError `store_unavailable` */
  mustBeThere(): void {
    const [first] = this.#known.values();
    // A store in memory has no file to lose.
    if (first === undefined) return;
    for (const [path, known] of this.#known) {
      const found = identityOf(path);
      if (known === undefined) this.#known.set(path, found);
      else if (found !== known) throw lostFile(path);
    }
  }
}

function lostFile(path: string): TicketscanError {
  return new TicketscanError(
    'store_unavailable',
    `${path} was deleted, moved or replaced while it was open, so the store acknowledges nothing any more. ` +
      'Restore the right files, then start again.',
  );
}

function identityOf(path: string): string | undefined {
  // Inode numbers can exceed 2^53.
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev} ${found.ino}`;
}
