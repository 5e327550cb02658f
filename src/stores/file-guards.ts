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
 * Makes an empty file with mode 0600 before SQLite opens it: SQLite itself would make it readable for all users, and gives its
 * -wal and -shm files the same mode and owner. Made by root, it belongs to the owner of its folder. Leaves a file that exists
 * as it is; what cannot be made fails when it is opened.
 */
export function createForOwner(path: string): void {
  if (path === ':memory:') return;
  try {
    // Exclusive: closing any other handle of a database would drop the locks that this process holds on it.
    const target = linkedFile(path);
    const file = openSync(target, 'wx', OWNER_ONLY);
    takeOwnerOf(file, dirname(target));
    closeSync(file);
  } catch {
    // It exists already, or opening it reports why that is not possible.
  }
}

/** Makes an empty file whose name can be guessed, such as that of a copy under way: a link that somebody put there is removed. */
export function createTemporary(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(path);
  createForOwner(path);
}

/** The target of a link, also when it does not exist: SQLite would make that file readable for all. */
function linkedFile(path: string): string {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink();
  return isLink ? linkedFile(resolve(dirname(path), readlinkSync(path))) : path;
}

/** The file that a link leads to; the path itself where nothing is. */
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
 * Files that a store has open. What is written to a file that was deleted, moved or replaced meanwhile is lost, and must
 * not be acknowledged (ADR 0071).
 */
export class OpenedFiles {
  readonly #known = new Map<string, string | undefined>();

  /** @param paths of which the first is there, unless the store is one in memory; others may come later */
  constructor(...paths: readonly string[]) {
    for (const path of paths) this.#known.set(path, identityOf(path));
  }

  /** To be called after a change and before it is acknowledged. @throws TicketscanError `store_unavailable` */
  mustBeThere(): void {
    const [first] = this.#known.values();
    // Opened in memory: there is no file to lose.
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
