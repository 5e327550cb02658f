import {
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { TicketscanError } from '../../core/errors.ts';
import { OWNER_ONLY, syncPathNow, takeOwnerOf } from '../../kit/files.ts';

/** The database beside a document. */
export function databaseOf(path: string): string {
  return `${path}.db`;
}

/** A document as it is in its file. */
export interface FoundDocument {
  readonly text: string;
  /** Changes whenever the file is changed or replaced. */
  readonly version: string;
}

/** @returns undefined if there is no document @throws TicketscanError `store_damaged` for a text that is not valid UTF-8 */
export function readDocument(path: string): FoundDocument | undefined {
  const version = versionOf(path);
  if (version === undefined) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
    return { text, version };
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    if (!(cause instanceof TypeError)) throw cause;
    const message = `${path} is not UTF-8 text. Save it as UTF-8, or restore it from a backup; nothing was changed.`;
    throw new TicketscanError('store_damaged', message, { cause });
  }
}

function versionOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev} ${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`;
}

const PERMISSIONS = 0o777;

/**
 * Replaces the document as a whole: a crash leaves the old or the new one. Keeps its permissions and, for root, its owner.
 * @param found the document that was read before; undefined if there was none
 * @returns false if it has changed since then; it was then left as it is
 */
export function replaceDocument(
  path: string,
  text: string,
  found: FoundDocument | undefined,
): boolean {
  const old = statSync(path, { throwIfNoEntry: false });
  const mode = old ? old.mode & PERMISSIONS : OWNER_ONLY;
  const temporary = temporaryOf(path);
  // This removes a link of that name, so that no link is followed.
  removeUnfinished(path);
  try {
    const file = openSync(temporary, 'wx', mode);
    try {
      // The umask of the process applies to new files only, not to the mode of an old one.
      if (old) fchmodSync(file, mode);
      takeOwnerOf(file, path, dirname(path));
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    // This check comes as late as possible: somebody may have saved an edit meanwhile.
    if (versionOf(path) !== found?.version) {
      rmSync(temporary);
      return false;
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncPathNow(dirname(path));
  return true;
}

/** The temporary file of a document's only writer. People give their own copies other names. */
function temporaryOf(path: string): string {
  return `${path}.being-written`;
}

/** Removes the temporary file that a killed program left. Only the document's writer may call it. */
export function removeUnfinished(path: string): void {
  rmSync(temporaryOf(path), { force: true });
}
