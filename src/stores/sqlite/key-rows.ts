import type { DatabaseSync } from 'node:sqlite';
import type { IntegrationType } from '../../core/api-key.ts';
import type { ApiKeyRecord, DoorSettings } from '../../core/records.ts';
import { noSuchEventThere } from '../store-errors.ts';

/** With `api_key` as k and `organisation` as o. */
export const KEY_COLUMNS =
  'k.id, k.public_id, k.name, k.type, k.all_events, k.active, k.relay, k.open_seconds, k.created_at, ' +
  'o.public_id AS organisation_id';

interface KeyRow {
  readonly id: number;
  readonly public_id: string;
  readonly organisation_id: string;
  readonly name: string;
  readonly type: IntegrationType;
  readonly all_events: number;
  readonly active: number;
  readonly relay: DoorSettings['relay'];
  readonly open_seconds: number;
  readonly created_at: number;
}

/** The public ids of the events that a key with selected events may scan. */
export function eventIdsOf(database: DatabaseSync, keyRow: number): string[] {
  const rows = database
    .prepare(
      'SELECT e.public_id FROM api_key_event s JOIN event e ON e.id = s.event WHERE s.api_key = ? ORDER BY e.id',
    )
    .all(keyRow);
  return rows.map((row) => row['public_id'] as string);
}

export function keyFrom(database: DatabaseSync, row: unknown): ApiKeyRecord {
  const key = row as KeyRow;
  return {
    id: key.public_id,
    organisationId: key.organisation_id,
    name: key.name,
    type: key.type,
    events: key.all_events === 1 ? 'all' : eventIdsOf(database, key.id),
    active: key.active === 1,
    relay: key.relay,
    openSeconds: key.open_seconds,
    createdAt: key.created_at,
  };
}

/** A key with its events. @param organisation the row of the key's organisation */
export function insertKey(
  database: DatabaseSync,
  key: ApiKeyRecord,
  hash: string,
  organisation: number,
  deletedAt: number | null,
): void {
  const { id, name, type, events, active, relay, openSeconds, createdAt } = key;
  const { lastInsertRowid } = database
    .prepare('INSERT INTO api_key VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
    .run(
      id,
      organisation,
      hash,
      name,
      type,
      events === 'all' ? 1 : 0,
      active ? 1 : 0,
      relay,
      openSeconds,
      createdAt,
      deletedAt,
    );
  selectEvents(database, Number(lastInsertRowid), organisation, events);
}

/** Notes the events that a key may scan. @throws TicketscanError `not_found` for one of another organisation */
export function selectEvents(
  database: DatabaseSync,
  keyRow: number,
  organisation: number,
  events: ApiKeyRecord['events'],
): void {
  if (events === 'all') return;
  const insert = database.prepare(
    'INSERT INTO api_key_event SELECT ?, id FROM event WHERE public_id = ? AND organisation = ?',
  );
  for (const eventId of new Set(events)) {
    if (insert.run(keyRow, eventId, organisation).changes !== 1) {
      throw noSuchEventThere(eventId);
    }
  }
}
