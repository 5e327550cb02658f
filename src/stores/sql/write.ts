import type { AdministrativeRevision } from '../../core/administrative-records.ts';
import type { ApiKeyRecord } from '../../core/records.ts';
import {
  administrativeRecordsOf,
  checkBefore,
  checkBounds,
  eventsMaxFrom,
  isScanner,
  openedEvent,
  ownerOfNew,
  refuseOtherAccounts,
} from '../record-rules.ts';
import type { Change, RecordChange, RecordKind, RecordOf } from '../record-store.ts';
import {
  beingDeleted,
  noSuchEventThere,
  notEmpty,
  notFound,
  taken,
  tooManyEvents,
  tooManyKeys,
} from '../store-errors.ts';
import {
  checkRevisions,
  deleteAdministrative,
  listAdministrative,
  readAdministrative,
  writeAdministrative,
  writeAuditEntry,
} from './administrative-records.ts';
import type { SqlConnection, SqlValue } from './connection.ts';
import { insertRecord, missingId, readRecord, updateRecord } from './records.ts';
import { select } from './rows.ts';
import { refuseAtSite, refuseAway } from './site-guards.ts';
import { ADMINISTRATIVE_RECORDS } from './tables.ts';

export function write(sql: SqlConnection, change: Change): Promise<void> {
  return sql.inTransaction(() => writeInside(sql, change));
}

/** Does what `Store.write` describes; the caller holds a transaction. */
export async function writeInside(sql: SqlConnection, change: Change): Promise<void> {
  const { records = [], administrative = [], deleted = [], unchanged = [], audit = [] } = change;
  const movesHome = administrative.some(({ kind }) => kind === 'event-home' || kind === 'site-of');
  // Nobody may decide on a home that the event had before.
  if (movesHome) await sql.keepScansOut();
  if (movesHome || records.length > 0) await moveRevision(sql);
  if (records.some(({ kind }) => kind !== 'scanner')) await refuseAtSite(sql);
  await holdOwners(sql, change);
  await checkAdministrativeBounds(sql, change);
  if (unchanged.length > 0) await checkRevisions(sql, [...administrative, ...unchanged]);
  for (const record of records) await writeRecord(sql, record, change);
  for (const record of administrative) await writeAdministrative(sql, record);
  for (const record of deleted) await deleteAdministrative(sql, record);
  for (const auditEntry of audit) await writeAuditEntry(sql, auditEntry);
}

/** Locks the records that are deleted, and the owners of new administrative records. */
async function holdOwners(
  sql: SqlConnection,
  { records = [], administrative = [] }: Change,
): Promise<void> {
  for (const { kind, before, after } of records) {
    if (after === null && before !== null) await holdEmptied(sql, kind, before.id);
  }
  const owners = administrative.flatMap((record) => ownerOfNew(record) ?? []);
  if (owners.length === 0) return;
  const unknown = await missingId(sql, 'organisation', owners, sql.forKeyShare);
  if (unknown !== undefined) throw notFound('organisation', unknown);
}

/**
 * Tells every process that its cached keys, events and limits are stale. A transaction that changes these calls it
 * first: its row lock makes such changes wait for each other, so that what they count and compare stays true until they commit.
 */
export async function moveRevision(sql: SqlConnection): Promise<void> {
  await sql.run('UPDATE state SET revision = revision + 1');
}

/**
 * Locks an event or organisation, and waits for transactions that write something that belongs to it: a search after this finds everything.
 * @throws TicketscanError `not_found`
 */
export async function holdEmptied(sql: SqlConnection, kind: RecordKind, id: string): Promise<void> {
  if (kind !== 'event' && kind !== 'organisation') return;
  const held = `SELECT id FROM ${kind} WHERE id = $1${sql.forUpdate}`;
  if ((await sql.rows(held, [id])).length === 0) throw notFound(kind, id);
}

async function checkAdministrativeBounds(
  sql: SqlConnection,
  { administrative = [], bounds = [] }: Change,
): Promise<void> {
  if (bounds.length === 0) return;
  for (const record of administrative) {
    await sql.takeTurn(`record ${record.kind}`);
    checkBounds(await listAdministrative(sql, record.kind), record, bounds);
  }
}

async function writeRecord(
  sql: SqlConnection,
  record: RecordChange,
  change: Change,
): Promise<void> {
  const { kind, before, after } = record;
  const id = (before ?? after)?.id ?? '';
  checkBefore(kind, await readRecord(sql, kind, id), before);
  if (after === null) return removeRecord(sql, kind, id, change);
  await checkRoomForEvent(sql, record);
  const hash = record.kind === 'key' ? record.hash : undefined;
  if (before === null) {
    await checkNew(sql, kind, after);
    const inserted = insertRecord(sql, kind, after, hash);
    await unlessTaken(sql, kind, after, inserted);
  } else {
    await unlessTaken(sql, kind, after, updateRecord(sql, kind, after));
    if (hash !== undefined) await writeHash(sql, id, hash);
  }
  if (record.kind === 'key' && record.after) await writeScope(sql, record.after);
}

/** Writes a new value of a key; the value that it had becomes the previous one. */
async function writeHash(sql: SqlConnection, id: string, hash: string): Promise<void> {
  const rotate = 'UPDATE api_key SET previous_hash = hash, hash = $2 WHERE id = $1';
  await sql.run(rotate, [id, hash]);
}

/** Refuses a new record if its owner does not exist, or if there is no room for it. */
export async function checkNew<Kind extends RecordKind>(
  sql: SqlConnection,
  kind: Kind,
  after: RecordOf[Kind],
): Promise<void> {
  if (!('organisationId' in after)) return;
  const { organisationId } = after;
  const [owner] = await sql.rows<{ keysMax: number; keys: number }>(
    `SELECT keys_max AS "keysMax", (SELECT count(*) FROM api_key WHERE organisation_id = $1 AND ${IS_KEY}) AS keys
     FROM organisation WHERE id = $1`,
    [organisationId],
  );
  if (!owner) throw notFound('organisation', organisationId);
  if (kind === 'key' && owner.keys >= owner.keysMax) throw tooManyKeys(owner.keysMax);
  if (kind !== 'event') return;
  const deletion = "SELECT id FROM administrative_record WHERE kind = 'deletion' AND id = $1";
  if ((await sql.rows(deletion, [after.id])).length > 0) throw beingDeleted(after.id);
}

/** Refuses to open an event if its organisation has as many as it may. */
export async function checkRoomForEvent(sql: SqlConnection, record: RecordChange): Promise<void> {
  const opened = openedEvent(record);
  if (!opened) return;
  const { organisationId } = opened;
  const [open] = await sql.rows<{ events: number }>(
    'SELECT count(*) AS events FROM event WHERE organisation_id = $1 AND archived_at IS NULL',
    [organisationId],
  );
  const max = eventsMaxFrom(await readAdministrative(sql, 'events-max', organisationId));
  if ((open?.events ?? 0) >= max) throw tooManyEvents(max);
}

const IS_KEY = `deleted_at IS NULL AND NOT ${isScanner('id')}`;

/** Turns the error for an existing name or id into a `conflict` that says what is taken. */
async function unlessTaken<Kind extends RecordKind>(
  sql: SqlConnection,
  kind: Kind,
  { id, name }: RecordOf[Kind],
  written: Promise<void>,
): Promise<void> {
  try {
    await written;
  } catch (error) {
    if (!sql.isUniqueViolation(error)) throw error;
    const isNamed = kind === 'organisation' || kind === 'event';
    throw taken(isNamed ? `An ${kind} named "${name}"` : `Key ${id}`, error);
  }
}

/** Writes the events of a key. @throws TicketscanError `not_found` for an event of another organisation */
export async function writeScope(sql: SqlConnection, key: ApiKeyRecord): Promise<void> {
  await sql.run('DELETE FROM api_key_event WHERE key_id = $1', [key.id]);
  if (key.events === 'all') return;
  for (const eventId of new Set(key.events)) {
    const written = await sql.run(
      'INSERT INTO api_key_event (key_id, event_id) SELECT $1, id FROM event WHERE id = $2 AND organisation_id = $3',
      [key.id, eventId, key.organisationId],
    );
    if (written !== 1) throw noSuchEventThere(eventId);
  }
}

async function removeRecord(
  sql: SqlConnection,
  kind: RecordKind,
  id: string,
  { searchedTo = 0, unchanged = [], audit = [] }: Change,
): Promise<void> {
  if (kind === 'event') {
    await refuseAway(sql, [id], 'To delete an event');
    await checkEmptyEvent(sql, id, searchedTo);
    await removeEvent(sql, id);
  } else if (kind === 'organisation') {
    await removeOrganisation(sql, id, searchedTo, unchanged);
  } else {
    const deletedAt = audit[0]?.at ?? 0;
    const values = [id, deletedAt, false];
    await sql.run('UPDATE api_key SET deleted_at = $2, active = $3 WHERE id = $1', values);
  }
}

export async function checkEmptyEvent(
  sql: SqlConnection,
  eventId: string,
  searchedTo: number,
): Promise<void> {
  const [first, last] = [`tkt_${eventId}_`, `tkt_${eventId}_~`];
  const isOfEvent = (column: string) =>
    `${sql.bytewise(column)} > $1 AND ${sql.bytewise(column)} < $2`;
  if (await exists(sql, `ticket WHERE ${isOfEvent('id')}`, [first, last]))
    throw notEmpty('event', 'tickets');
  const later = `log_record WHERE sequence > $3 AND ${isOfEvent('ticket_id')}`;
  if (await exists(sql, later, [first, last, searchedTo])) throw notEmpty('event', 'log entries');
}

/** Removes an event, also from the scope of keys, and its count of people inside. */
export async function removeEvent(sql: SqlConnection, eventId: string): Promise<void> {
  for (const table of ['api_key_event', 'event_occupancy'])
    await sql.run(`DELETE FROM ${table} WHERE event_id = $1`, [eventId]);
  await sql.run('DELETE FROM event WHERE id = $1', [eventId]);
}

/** Removes a locked organisation, with the remains of its deleted keys; the caller holds a transaction. */
export async function removeOrganisation(
  sql: SqlConnection,
  id: string,
  searchedTo: number,
  accounts: readonly AdministrativeRevision[],
): Promise<void> {
  const { column, target } = sql.key;
  const ofOrganisation = 'api_key WHERE organisation_id = $1';
  if (await exists(sql, 'event WHERE organisation_id = $1', [id]))
    throw notEmpty('organisation', 'events');
  if (await exists(sql, `${ofOrganisation} AND ${IS_KEY}`, [id]))
    throw notEmpty('organisation', 'API keys');
  const administrative = administrativeRecordsOf(await select(sql, ADMINISTRATIVE_RECORDS), id);
  refuseOtherAccounts(administrative, accounts);
  const isOfKeys = `${column} IN (SELECT ${target} FROM ${ofOrganisation})`;
  if (await exists(sql, `scan_log WHERE ${isOfKeys} AND sequence > $2`, [id, searchedTo]))
    throw notEmpty('organisation', 'log entries');
  for (const table of ['api_key_usage', 'stored_answer', 'device', 'scan_count'])
    await sql.run(`DELETE FROM ${table} WHERE ${isOfKeys}`, [id]);
  await sql.removeKeyState(`SELECT id FROM ${ofOrganisation}`, id);
  await sql.run(`DELETE FROM ${ofOrganisation}`, [id]);
  for (const record of administrative) await deleteAdministrative(sql, record);
  await sql.run('DELETE FROM erased_reference WHERE organisation_id = $1', [id]);
  await sql.run('DELETE FROM organisation WHERE id = $1', [id]);
}

async function exists(
  sql: SqlConnection,
  rows: string,
  values: readonly SqlValue[],
): Promise<boolean> {
  return (await sql.rows(`SELECT 1 AS one FROM ${rows} LIMIT 1`, values)).length > 0;
}
