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

/** @returns undefined where there is none @throws TicketscanError `store_damaged` for what is no UTF-8 */
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
 * Replaces the document as a whole: a crash leaves the old or the new one. Keeps its permissions, for root also its owner.
 * @param found what was read before; undefined when there was none
 * @returns false when it has changed since then, and was left as it is
 */
export function replaceDocument(
  path: string,
  text: string,
  found: FoundDocument | undefined,
): boolean {
  const old = statSync(path, { throwIfNoEntry: false });
  const mode = old ? old.mode & PERMISSIONS : OWNER_ONLY;
  const temporary = temporaryOf(path);
  // A link of that name is removed, and none is followed.
  removeUnfinished(path);
  try {
    const file = openSync(temporary, 'wx', mode);
    try {
      // What the process forbids its new files does not concern an old one.
      if (old) fchmodSync(file, mode);
      takeOwnerOf(file, path, dirname(path));
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    // As late as can be: somebody may have saved an edit while this was written.
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

/** Only the one writer of a document has it. People call their own copies otherwise. */
function temporaryOf(path: string): string {
  return `${path}.being-written`;
}

/** Removes what a killed program left of a document that it was about to replace; only their one writer may call it. */
export function removeUnfinished(path: string): void {
  rmSync(temporaryOf(path), { force: true });
}
