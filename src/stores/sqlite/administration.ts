import type { DatabaseSync } from 'node:sqlite';
import type { NewTrailEntry } from '../../core/administrative-records.ts';
import type { OrganisationLimits } from '../../core/limits.ts';
import type { ApiKeyChanges, ApiKeyRecord, EventRecord, Organisation } from '../../core/records.ts';
import type { KeyLookup } from '../store.ts';
import { notFound, taken, tooManyKeys } from '../store-errors.ts';
import { change } from './change.ts';
import { insertKey, KEY_COLUMNS, keyFrom, selectEvents } from './key-rows.ts';
import {
  EVENT_SELECT,
  eventFrom,
  insertEvent,
  insertOrganisation,
  limitsFrom,
  ORGANISATION_SELECT,
  organisationFrom,
} from './organisation-rows.ts';

const SQLITE_CONSTRAINT_UNIQUE = 2067;

/** Runs an insert; an existing name or id becomes a `conflict` that says what is taken. */
function unlessTaken<Result>(what: string, insert: () => Result): Result {
  try {
    return insert();
  } catch (error) {
    if ((error as { errcode?: number }).errcode !== SQLITE_CONSTRAINT_UNIQUE) throw error;
    throw taken(what, error);
  }
}

export function createOrganisation(
  database: DatabaseSync,
  organisation: Organisation,
  act: NewTrailEntry,
): void {
  unlessTaken(`An organisation named "${organisation.name}"`, () =>
    change(database, act, () => insertOrganisation(database, organisation)),
  );
}

export function listOrganisations(database: DatabaseSync): Organisation[] {
  return database.prepare(`${ORGANISATION_SELECT} ORDER BY o.id`).all().map(organisationFrom);
}

export function setOrganisationLimits(
  database: DatabaseSync,
  id: string,
  limits: OrganisationLimits,
  act: NewTrailEntry,
): void {
  const { ratePerSecond, burst, quotaPerMonth, keysMax } = limits;
  change(database, act, () => {
    const organisation = organisationRow(database, id);
    database
      .prepare(
        'UPDATE organisation SET rate_per_second = ?, burst = ?, quota_per_month = ?, keys_max = ? WHERE id = ?',
      )
      .run(ratePerSecond, burst, quotaPerMonth, keysMax, organisation);
  });
}

export function createEvent(database: DatabaseSync, event: EventRecord, act: NewTrailEntry): void {
  unlessTaken(`An event named "${event.name}"`, () =>
    change(database, act, () =>
      insertEvent(database, event, organisationRow(database, event.organisationId)),
    ),
  );
}

export function renameEvent(
  database: DatabaseSync,
  eventId: string,
  name: string,
  act: NewTrailEntry,
): EventRecord {
  return unlessTaken(`An event named "${name}"`, () =>
    change(database, act, () => {
      database.prepare('UPDATE event SET name = ? WHERE public_id = ?').run(name, eventId);
      const event = listEvents(database).find(({ id }) => id === eventId);
      if (!event) throw notFound('event', eventId);
      return event;
    }),
  );
}

export function listEvents(database: DatabaseSync): EventRecord[] {
  return database.prepare(`${EVENT_SELECT} ORDER BY e.id`).all().map(eventFrom);
}

export function createKey(
  database: DatabaseSync,
  key: ApiKeyRecord,
  hash: string,
  act: NewTrailEntry,
): void {
  change(database, act, () => {
    const organisation = organisationRow(database, key.organisationId);
    refuseTooManyKeys(database, organisation);
    insertKey(database, key, hash, organisation, null);
  });
}

export function listKeys(database: DatabaseSync): ApiKeyRecord[] {
  const sql = `SELECT ${KEY_COLUMNS} FROM api_key k JOIN organisation o ON o.id = k.organisation
    WHERE k.deleted_at IS NULL ORDER BY k.id`;
  return database
    .prepare(sql)
    .all()
    .map((row) => keyFrom(database, row));
}

export function findKeyByHash(database: DatabaseSync, hash: string): KeyLookup | undefined {
  const sql = `SELECT ${KEY_COLUMNS}, o.rate_per_second, o.burst, o.quota_per_month, o.keys_max,
      (SELECT revision FROM state) AS revision
    FROM api_key k JOIN organisation o ON o.id = k.organisation WHERE k.hash = ? AND k.deleted_at IS NULL`;
  const row = database.prepare(sql).get(hash);
  if (!row) return undefined;
  return {
    key: keyFrom(database, row),
    limits: limitsFrom(row),
    revision: row['revision'] as number,
  };
}

export function updateKey(
  database: DatabaseSync,
  keyId: string,
  changes: ApiKeyChanges,
  act: NewTrailEntry,
): ApiKeyRecord {
  return change(database, act, () => {
    const before = existingKey(database, keyId);
    const { name, active, relay, openSeconds, events } = { ...before.key, ...changes };
    database
      .prepare(
        'UPDATE api_key SET name = ?, active = ?, relay = ?, open_seconds = ?, all_events = ? WHERE id = ?',
      )
      .run(name, active ? 1 : 0, relay, openSeconds, events === 'all' ? 1 : 0, before.row);
    database.prepare('DELETE FROM api_key_event WHERE api_key = ?').run(before.row);
    selectEvents(
      database,
      before.row,
      organisationRow(database, before.key.organisationId),
      events,
    );
    return existingKey(database, keyId).key;
  });
}

export function deleteKey(
  database: DatabaseSync,
  keyId: string,
  at: number,
  act: NewTrailEntry,
): void {
  change(database, act, () => {
    const { row } = existingKey(database, keyId);
    database.prepare('UPDATE api_key SET deleted_at = ?, active = 0 WHERE id = ?').run(at, row);
  });
}

export function requestsInMonth(database: DatabaseSync, keyId: string, month: number): number {
  const sql =
    'SELECT requests FROM api_key_usage WHERE api_key = (SELECT id FROM api_key WHERE public_id = ?) AND month = ?';
  return (database.prepare(sql).get(keyId, month)?.['requests'] as number | undefined) ?? 0;
}

function existingKey(database: DatabaseSync, keyId: string): { key: ApiKeyRecord; row: number } {
  const sql = `SELECT ${KEY_COLUMNS} FROM api_key k JOIN organisation o ON o.id = k.organisation
    WHERE k.public_id = ? AND k.deleted_at IS NULL`;
  const row = database.prepare(sql).get(keyId);
  if (!row) throw notFound('key', keyId);
  return { key: keyFrom(database, row), row: row['id'] as number };
}

function refuseTooManyKeys(database: DatabaseSync, organisation: number): void {
  const sql = `SELECT keys_max, (SELECT count(*) FROM api_key WHERE organisation = o.id AND deleted_at IS NULL) AS keys
    FROM organisation o WHERE id = ?`;
  const row = database.prepare(sql).get(organisation);
  if (Number(row?.['keys']) >= Number(row?.['keys_max']))
    throw tooManyKeys(Number(row?.['keys_max']));
}

function organisationRow(database: DatabaseSync, id: string): number {
  const row = database.prepare('SELECT id FROM organisation WHERE public_id = ?').get(id);
  if (!row) throw notFound('organisation', id);
  return row['id'] as number;
}
