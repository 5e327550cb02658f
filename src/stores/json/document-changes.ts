import { hash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { DAY_MS } from '../../kit/durations.ts';
import type { List } from './document.ts';
import { erases, numberOf, type RowChange, withoutPersonal } from './document-lines.ts';

/** The bytes of SHA-256 that are kept: with so many, two lines of one row never look the same by chance. */
const DIGEST_BYTES = 16;

/** How long earlier texts are remembered: one may lie in an editor, or in git beside its database. */
const KEPT_MS = 30 * DAY_MS;
/** How many changes are remembered: they take some 30 MB of the database. */
const CHANGES_MAX = 200_000;

/** What a row was in an earlier text: null for one that it did not have. */
export interface EarlierRow {
  /** The row as a line of the document; null if its personal texts were erased. */
  readonly line: Uint8Array | null;
  readonly impersonal: Uint8Array;
}

/** The number of the next text: it is the time too, so that no other database has the same. */
export function nextNumber(database: DatabaseSync, now: number): number {
  const { last } = database.prepare('SELECT max(written) AS last FROM document_writing').get() as {
    last: number | null;
  };
  return Math.max(now, (last ?? 0) + 1);
}

/** Whether this database wrote the text of that number, and knows all that changed since. */
export function knowsNumber(database: DatabaseSync, written: number): boolean {
  const known = database.prepare('SELECT 1 AS one FROM document_writing WHERE written = ?');
  return known.get(written) !== undefined;
}

/** Keeps what changed before a text, inside a transaction. If the text is not kept in the end, that does no harm: the rows were the same before it. */
export function keepChanges(
  database: DatabaseSync,
  text: string,
  changes: readonly RowChange[],
): void {
  const keep = database.prepare('INSERT OR REPLACE INTO document_change VALUES (?, ?, ?, ?, ?)');
  const forget = database.prepare(
    'UPDATE document_change SET line = NULL WHERE list = ? AND id = ?',
  );
  const written = numberOf(text) ?? 0;
  for (const change of changes) {
    const { list, id, before: line } = change;
    const isErased = erases(change);
    const full = line === undefined || isErased ? null : digestOf(line);
    const rest = line === undefined ? null : digestOf(withoutPersonal(list, line));
    keep.run(written, list, id, full, rest);
    if (isErased) forget.run(list, id);
  }
}

/** Notes the number of a text that is kept, inside a transaction. */
export function keepNumber(database: DatabaseSync, written: number): void {
  database.prepare('INSERT OR IGNORE INTO document_writing VALUES (?)').run(written);
}

/** Forgets texts that nobody has open any more, and what changed before the oldest that stays. Runs inside a transaction. */
export function pruneChanges(database: DatabaseSync, now: number): void {
  const least = database.prepare(
    'SELECT written FROM document_change ORDER BY written DESC LIMIT 1 OFFSET ?',
  );
  const { written = 0 } = (least.get(CHANGES_MAX) ?? {}) as { written?: number };
  const oldest = '(SELECT max(written) FROM document_writing WHERE written <= ?)';
  // The oldest text is kept too: it was the document until the first of these changes.
  const floor = Math.max(written, now - KEPT_MS);
  database.prepare(`DELETE FROM document_change WHERE written <= ${oldest}`).run(floor);
  database.prepare(`DELETE FROM document_writing WHERE written < ${oldest}`).run(floor);
}

/** The rows that were otherwise in the text of that number, by `keyOf`. */
export function rowsAt(database: DatabaseSync, written: number): Map<string, EarlierRow | null> {
  const rows = database
    .prepare(
      'SELECT list, id, line, impersonal FROM document_change WHERE written > ? ORDER BY written DESC',
    )
    .all(written);
  return new Map(
    rows.map(({ list, id, line, impersonal }) => [
      keyOf(list as List, id as string),
      impersonal === null ? null : ({ line, impersonal } as EarlierRow),
    ]),
  );
}

export function keyOf(list: List, id: string): string {
  return `${list} ${id}`;
}

export function digestOf(line: string): Uint8Array {
  return hash('sha256', line, 'buffer').subarray(0, DIGEST_BYTES);
}
