import type { SQLInputValue } from 'node:sqlite';
import type { LogEntry } from '../../core/records.ts';
import type { Texts } from '../sql/columns.ts';
import type { SqlValue } from '../sql/connection.ts';
import { storedIn, writersOf } from '../sql/rows.ts';
import { LOG } from '../sql/tables.ts';

/** SQLite stores every text as it is. */
export const TEXTS: Texts = {
  storedText: (text) => text,
  textFrom: (stored) => stored,
};

export function bound(value: SqlValue): SQLInputValue {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

const WRITERS = writersOf(LOG);

/** The columns of an entry, in the order of its values. */
export const ENTRY_COLUMNS = WRITERS.flatMap(([{ own, name }]) => {
  if (own === 'key') return ['api_key'];
  return own === 'loggedTicket' ? ['ticket', 'ticket_text'] : [name];
});

/** The statement that inserts `entryValues`. */
export const INSERT_ENTRY = `INSERT INTO scan_log (${ENTRY_COLUMNS.join(', ')}) VALUES (${ENTRY_COLUMNS.map(() => '?').join(', ')})`;

/** @param key the row of the key @param ticket the row of the ticket; null if there is none: then its text is kept */
export function entryValues(
  entry: Omit<LogEntry, 'operation' | 'status'> & { operation: string; status: string },
  key: number,
  ticket: number | null,
): SQLInputValue[] {
  const values: SQLInputValue[] = [];
  for (const [column, memberOf] of WRITERS) {
    if (column.own === 'key') values.push(key);
    else if (column.own === 'loggedTicket')
      values.push(ticket, ticket === null ? entry.ticketId : null);
    else values.push(bound(storedIn(TEXTS, column, memberOf(entry as LogEntry))));
  }
  return values;
}
