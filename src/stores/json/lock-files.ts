import { existsSync, renameSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { TicketscanError } from '../../core/errors.ts';
import { syncPathNow } from '../../kit/files.ts';
import { linkTarget } from '../file-guards.ts';
import { takeWriterLock } from '../file-lock.ts';
import { keepAs, type LockedStore, syncReplaced } from '../replaced-files.ts';
import { lockDatabase } from '../sqlite/lock-database.ts';
import { inTransaction } from '../sqlite/open-database.ts';
import { databaseOf, readDocument } from './document-file.ts';
import { keepText } from './document-texts.ts';

/**
 * Locks the address of a document and its database for this program.
 * @throws TicketscanError `store_busy` while another program has the store
 */
export function lockFiles(named: string): LockedStore {
  const path = linkTarget(named);
  const lock = takeWriterLock(path);
  try {
    const database = lockDatabase(databaseOf(path));
    const hasDocument = existsSync(path);
    return {
      path,
      isEmpty: database.isEmpty && !hasDocument,
      // A document without a database does not say when its tickets were used.
      usesAfter: (entry) =>
        database.isEmpty && hasDocument ? undefined : database.usesAfter(entry),
      replaceBy: (staged, keptAs) => replaceFiles(path, database, staged, keptAs),
      release() {
        database.release();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

function replaceFiles(path: string, database: LockedStore, staged: string, keptAs: string): void {
  if (existsSync(path)) {
    keepAs(path, keptAs);
    noteReplaced(path, staged);
  }
  try {
    // From here on the new store is in place: its database knows that the document is still the old one.
    database.replaceBy(databaseOf(staged), databaseOf(keptAs));
  } catch (error) {
    rmSync(keptAs, { force: true });
    throw error;
  }
  try {
    renameSync(staged, path);
    syncReplaced(path);
  } catch {
    // The next program writes it.
  }
}

/** Notes that the document of the replaced store is not an edit of the new store. */
function noteReplaced(path: string, staged: string): void {
  const text = readableText(path);
  if (text === undefined) return;
  const database = new DatabaseSync(databaseOf(staged));
  try {
    inTransaction(database, () => keepText(database, 'replaced', text));
  } finally {
    database.close();
  }
  syncPathNow(databaseOf(staged));
}

/** The text of a file; undefined if it is not text, and so not a document of any store. */
function readableText(path: string): string | undefined {
  try {
    return readDocument(path)?.text;
  } catch (error) {
    if (error instanceof TicketscanError) return undefined;
    throw error;
  }
}
