import type { ClientBase } from 'pg';
import type { IntegrationType } from '../../core/api-key.ts';
import type { ApiKeyRecord, DoorSettings } from '../../core/records.ts';
import { noSuchEventThere } from '../store-errors.ts';

/** With `api_key` as k. */
export const KEY_COLUMNS = `k.id, k.organisation_id, k.name, k.type, k.all_events, k.active, k.relay, k.open_seconds, k.created_at,
  ARRAY(SELECT s.event_id FROM api_key_event s JOIN event e ON e.id = s.event_id WHERE s.key_id = k.id ORDER BY e.ordinal) AS event_ids`;

export interface KeyRow {
  readonly id: string;
  readonly organisation_id: string;
  readonly name: string;
  readonly type: IntegrationType;
  readonly all_events: boolean;
  readonly active: boolean;
  readonly relay: DoorSettings['relay'];
  readonly open_seconds: number;
  readonly created_at: number;
  readonly event_ids: string[];
}

export function keyFrom(row: KeyRow): ApiKeyRecord {
  return {
    id: row.id,
    organisationId: row.organisation_id,
    name: row.name,
    type: row.type,
    events: row.all_events ? 'all' : row.event_ids,
    active: row.active,
    relay: row.relay,
    openSeconds: row.open_seconds,
    createdAt: row.created_at,
  };
}

/** A key with its events and its bucket, which is full: never filled, and that long ago. */
export async function insertKey(
  client: ClientBase,
  key: ApiKeyRecord,
  hash: string,
  deletedAt: number | null,
): Promise<void> {
  const { id, organisationId, name, type, events, active, relay, openSeconds, createdAt } = key;
  await client.query(
    `INSERT INTO api_key (id, organisation_id, hash, name, type, all_events, active, relay, open_seconds, created_at, deleted_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      id,
      organisationId,
      hash,
      name,
      type,
      events === 'all',
      active,
      relay,
      openSeconds,
      createdAt,
      deletedAt,
    ],
  );
  await client.query('INSERT INTO rate_bucket VALUES ($1, 0, 0)', [id]);
  await selectEvents(client, key);
}

/** @throws TicketscanError `not_found` for an event that is not the organisation's */
export async function selectEvents(client: ClientBase, key: ApiKeyRecord): Promise<void> {
  if (key.events === 'all') return;
  const wanted = [...new Set(key.events)];
  const { rows } = await client.query<{ event_id: string }>(
    `INSERT INTO api_key_event SELECT $1, id FROM event WHERE id = ANY($2::text[]) AND organisation_id = $3 RETURNING event_id`,
    [key.id, wanted, key.organisationId],
  );
  const found = new Set(rows.map((row) => row.event_id));
  const missing = wanted.find((eventId) => !found.has(eventId));
  if (missing !== undefined) {
    throw noSuchEventThere(missing);
  }
}
