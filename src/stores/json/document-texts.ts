import type { DatabaseSync } from 'node:sqlite';
import { deflateSync, inflateSync } from 'node:zlib';

/** A document repeats itself much, so a higher level gains little. */
const DEFLATED = { level: 1 };

/** A text of the document that the database remembers; the table `document_text` describes them. */
export type Place = 'now' | 'next' | 'replaced';

export function textsIn(database: DatabaseSync): Map<Place, string> {
  const rows = database.prepare('SELECT place, deflated FROM document_text').all();
  return new Map(
    rows.map(({ place, deflated }) => [
      place as Place,
      inflateSync(deflated as Uint8Array).toString('utf8'),
    ]),
  );
}

/** Stores a text of the document; the caller holds a transaction. */
export function keepText(database: DatabaseSync, place: Place, text: string): void {
  database
    .prepare('INSERT OR REPLACE INTO document_text VALUES (?, ?)')
    .run(place, deflateSync(text, DEFLATED));
}

/** Notes that the document certainly has this text; the caller holds a transaction. */
export function settleText(database: DatabaseSync, text: string): void {
  keepText(database, 'now', text);
  database.exec("DELETE FROM document_text WHERE place <> 'now'");
}
