import type { DatabaseSync } from 'node:sqlite';
import { deflateSync, inflateSync } from 'node:zlib';

/** A document is text with much repetition: more effort gains little. */
const DEFLATED = { level: 1 };

/** What a database remembers of the document beside it: see the table. */
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

/** Inside a transaction. */
export function keepText(database: DatabaseSync, place: Place, text: string): void {
  database
    .prepare('INSERT OR REPLACE INTO document_text VALUES (?, ?)')
    .run(place, deflateSync(text, DEFLATED));
}

/** Inside a transaction: the document has this text for certain. */
export function settleText(database: DatabaseSync, text: string): void {
  keepText(database, 'now', text);
  database.exec("DELETE FROM document_text WHERE place <> 'now'");
}
