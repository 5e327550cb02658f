import type { ClientBase } from 'pg';
import type { NewTrailEntry } from '../../core/administrative-records.ts';
import type { OrganisationLimits } from '../../core/limits.ts';
import type { ApiKeyChanges, ApiKeyRecord, EventRecord, Organisation } from '../../core/records.ts';
import type { KeyLookup } from '../store.ts';
import { notFound, taken, tooManyKeys } from '../store-errors.ts';
import { isUniqueViolation } from './failures.ts';
import { insertKey, KEY_COLUMNS, type KeyRow, keyFrom, selectEvents } from './key-rows.ts';
import {
  EVENT_COLUMNS,
  insertEvent,
  insertOrganisation,
  LIMIT_COLUMNS,
  type LimitRow,
  limitsFrom,
  ORGANISATION_COLUMNS,
  type OrganisationRow,
  organisationFrom,
} from './organisation-rows.ts';
import { recordAct } from './trail-table.ts';
import { change, inTransaction } from './transaction.ts';

/** Changes what scans are authorised by, and tells the trail. */
function changing<Result>(
  client: ClientBase,
  act: NewTrailEntry,
  work: () => Promise<Result>,
): Promise<Result> {
  return inTransaction(client, async () => {
    await change(client);
    const result = await work();
    await recordAct(client, act);
    return result;
  });
}

/** An existing name or id becomes a `conflict` that says what is taken. */
async function unlessTaken<Result>(what: string, insert: Promise<Result>): Promise<Result> {
  try {
    return await insert;
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw taken(what, error);
  }
}

export async function createOrganisation(
  client: ClientBase,
  organisation: Organisation,
  act: NewTrailEntry,
): Promise<void> {
  const insert = changing(client, act, () => insertOrganisation(client, organisation));
  await unlessTaken(`An organisation named "${organisation.name}"`, insert);
}

export async function listOrganisations(client: ClientBase): Promise<Organisation[]> {
  const { rows } = await client.query<OrganisationRow>(
    `SELECT ${ORGANISATION_COLUMNS} FROM organisation o ORDER BY o.ordinal`,
  );
  return rows.map(organisationFrom);
}

export async function setOrganisationLimits(
  client: ClientBase,
  id: string,
  limits: OrganisationLimits,
  act: NewTrailEntry,
): Promise<void> {
  const { ratePerSecond, burst, quotaPerMonth, keysMax } = limits;
  await changing(client, act, async () => {
    const { rowCount } = await client.query(
      'UPDATE organisation SET rate_per_second = $1, burst = $2, quota_per_month = $3, keys_max = $4 WHERE id = $5',
      [ratePerSecond, burst, quotaPerMonth, keysMax, id],
    );
    if (rowCount !== 1) throw notFound('organisation', id);
  });
}

export async function createEvent(
  client: ClientBase,
  event: EventRecord,
  act: NewTrailEntry,
): Promise<void> {
  const insert = changing(client, act, async () => {
    await keysMaxOf(client, event.organisationId);
    await insertEvent(client, event);
  });
  await unlessTaken(`An event named "${event.name}"`, insert);
}

export async function renameEvent(
  client: ClientBase,
  eventId: string,
  name: string,
  act: NewTrailEntry,
): Promise<EventRecord> {
  const rename = changing(client, act, async () => {
    const { rows } = await client.query<EventRecord>(
      `UPDATE event SET name = $2 WHERE id = $1 RETURNING ${EVENT_COLUMNS}`,
      [eventId, name],
    );
    const [event] = rows;
    if (!event) throw notFound('event', eventId);
    return event;
  });
  return unlessTaken(`An event named "${name}"`, rename);
}

export async function listEvents(client: ClientBase): Promise<EventRecord[]> {
  const { rows } = await client.query<EventRecord>(
    `SELECT ${EVENT_COLUMNS} FROM event ORDER BY ordinal`,
  );
  return rows;
}

export async function createKey(
  client: ClientBase,
  key: ApiKeyRecord,
  hash: string,
  act: NewTrailEntry,
): Promise<void> {
  await changing(client, act, async () => {
    const keysMax = await keysMaxOf(client, key.organisationId);
    const { rows } = await client.query<{ keys: number }>(
      'SELECT count(*) AS keys FROM api_key WHERE organisation_id = $1 AND deleted_at IS NULL',
      [key.organisationId],
    );
    if ((rows[0]?.keys ?? 0) >= keysMax) throw tooManyKeys(keysMax);
    await insertKey(client, key, hash, null);
  });
}

export async function listKeys(client: ClientBase): Promise<ApiKeyRecord[]> {
  const { rows } = await client.query<KeyRow>(
    `SELECT ${KEY_COLUMNS} FROM api_key k WHERE k.deleted_at IS NULL ORDER BY k.ordinal`,
  );
  return rows.map(keyFrom);
}

export async function findKeyByHash(
  client: ClientBase,
  hash: string,
): Promise<KeyLookup | undefined> {
  const { rows } = await client.query<KeyRow & LimitRow & { revision: number }>(
    `SELECT ${KEY_COLUMNS}, ${LIMIT_COLUMNS}, (SELECT revision FROM state) AS revision
     FROM api_key k JOIN organisation o ON o.id = k.organisation_id WHERE k.hash = $1 AND k.deleted_at IS NULL`,
    [hash],
  );
  const [row] = rows;
  return row && { key: keyFrom(row), limits: limitsFrom(row), revision: row.revision };
}

export async function updateKey(
  client: ClientBase,
  keyId: string,
  changes: ApiKeyChanges,
  act: NewTrailEntry,
): Promise<ApiKeyRecord> {
  return changing(client, act, async () => {
    const after = { ...(await existingKey(client, keyId)), ...changes };
    await client.query(
      'UPDATE api_key SET name = $1, active = $2, relay = $3, open_seconds = $4, all_events = $5 WHERE id = $6',
      [after.name, after.active, after.relay, after.openSeconds, after.events === 'all', keyId],
    );
    await client.query('DELETE FROM api_key_event WHERE key_id = $1', [keyId]);
    await selectEvents(client, after);
    return existingKey(client, keyId);
  });
}

export async function deleteKey(
  client: ClientBase,
  keyId: string,
  at: number,
  act: NewTrailEntry,
): Promise<void> {
  await changing(client, act, async () => {
    const { rowCount } = await client.query(
      'UPDATE api_key SET deleted_at = $2, active = false WHERE id = $1 AND deleted_at IS NULL',
      [keyId, at],
    );
    if (rowCount !== 1) throw notFound('key', keyId);
  });
}

export async function requestsInMonth(
  client: ClientBase,
  keyId: string,
  month: number,
): Promise<number> {
  const { rows } = await client.query<{ requests: number }>(
    'SELECT sum(requests)::bigint AS requests FROM api_key_usage WHERE key_id = $1 AND month = $2',
    [keyId, month],
  );
  return rows[0]?.requests ?? 0;
}

async function existingKey(client: ClientBase, keyId: string): Promise<ApiKeyRecord> {
  const { rows } = await client.query<KeyRow>(
    `SELECT ${KEY_COLUMNS} FROM api_key k WHERE k.id = $1 AND k.deleted_at IS NULL`,
    [keyId],
  );
  const [row] = rows;
  if (!row) throw notFound('key', keyId);
  return keyFrom(row);
}

async function keysMaxOf(client: ClientBase, organisationId: string): Promise<number> {
  const { rows } = await client.query<{ keys_max: number }>(
    'SELECT keys_max FROM organisation WHERE id = $1',
    [organisationId],
  );
  const [row] = rows;
  if (!row) throw notFound('organisation', organisationId);
  return row.keys_max;
}
