import type { DocumentRevision, NewAuditLogEntry } from '../../../core/administrative-records.ts';
import { isUnknownAccount } from '../organisation-documents.ts';
import { isScanner } from '../scanner-key.ts';
import { notEmpty, notFound } from '../store-errors.ts';
import { change } from './change.ts';
import type { SqlConnection, SqlValue } from './connection.ts';
import { holdUnchanged } from './hold-unchanged.ts';

/** Described in `Store`. */
export function deleteEvent(
  connection: SqlConnection,
  eventId: string,
  searchedTo: number,
  auditEntry: NewAuditLogEntry,
): Promise<void> {
  return change(connection, auditEntry, () => removeEmptyEvent(connection, eventId, searchedTo));
}

async function removeEmptyEvent(
  connection: SqlConnection,
  eventId: string,
  searchedTo: number,
): Promise<void> {
  await holdRow(connection, 'event', eventId);
  const [first, last] = [`tkt_${eventId}_`, `tkt_${eventId}_~`];
  const isOfEvent = (column: string) =>
    `${connection.bytewise(column)} > $1 AND ${connection.bytewise(column)} < $2`;
  if (await exists(connection, `ticket WHERE ${isOfEvent('id')}`, [first, last]))
    throw notEmpty('event', 'tickets');
  const later = `log_record WHERE sequence > $3 AND ${isOfEvent('ticket_id')}`;
  if (await exists(connection, later, [first, last, searchedTo]))
    throw notEmpty('event', 'log entries');
  await removeEvent(connection, eventId);
}

/** Also from the scope of keys, and nobody is inside any more. */
export async function removeEvent(connection: SqlConnection, eventId: string): Promise<void> {
  for (const table of ['api_key_event', 'event_occupancy'])
    await connection.run(`DELETE FROM ${table} WHERE event_id = $1`, [eventId]);
  await connection.run('DELETE FROM event WHERE id = $1', [eventId]);
}

/** Described in `Store`. */
export function deleteOrganisation(
  connection: SqlConnection,
  id: string,
  searchedTo: number,
  auditEntry: NewAuditLogEntry,
  accounts: readonly DocumentRevision[] = [],
): Promise<void> {
  return change(connection, auditEntry, () =>
    removeOrganisation(connection, id, searchedTo, accounts),
  );
}

/** Inside a transaction. */
export async function removeOrganisation(
  connection: SqlConnection,
  id: string,
  searchedTo: number,
  accounts: readonly DocumentRevision[],
): Promise<void> {
  await holdRow(connection, 'organisation', id);
  await holdUnchanged(connection, accounts);
  const { column, target } = connection.key;
  const ofOrganisation = 'api_key WHERE organisation_id = $1';
  if (await exists(connection, 'event WHERE organisation_id = $1', [id]))
    throw notEmpty('organisation', 'events');
  if (
    await exists(
      connection,
      `${ofOrganisation} AND deleted_at IS NULL AND NOT ${isScanner('id')}`,
      [id],
    )
  )
    throw notEmpty('organisation', 'API keys');
  const documents = await documentsOf(connection, id);
  if (documents.some((one) => isUnknownAccount(one, accounts)))
    throw notEmpty('organisation', 'accounts');
  const isOfKeys = `${column} IN (SELECT ${target} FROM ${ofOrganisation})`;
  if (await exists(connection, `scan_log WHERE ${isOfKeys} AND sequence > $2`, [id, searchedTo]))
    throw notEmpty('organisation', 'log entries');
  for (const table of ['api_key_usage', 'stored_answer', 'device', 'scan_count'])
    await connection.run(`DELETE FROM ${table} WHERE ${isOfKeys}`, [id]);
  await connection.removeKeyState(`SELECT id FROM ${ofOrganisation}`, id);
  await connection.run(`DELETE FROM ${ofOrganisation}`, [id]);
  for (const document of documents)
    await connection.run('DELETE FROM document WHERE kind = $1 AND id = $2', [
      document.kind,
      document.id,
    ]);
  await connection.run('DELETE FROM organisation WHERE id = $1', [id]);
}

/**
 * Waits for those who write something that belongs to it: what is looked for after this is everything that there will be.
 * @throws TicketscanError `not_found`
 */
export async function holdRow(
  connection: SqlConnection,
  table: 'event' | 'organisation',
  id: string,
): Promise<void> {
  const held = `SELECT id FROM ${table} WHERE id = $1${connection.forUpdate}`;
  if ((await connection.rows(held, [id])).length === 0) throw notFound(table, id);
}

/** Its accounts, and what is kept beside it: settings, webhooks, counts of refusals. */
export async function documentsOf(
  connection: SqlConnection,
  organisationId: string,
): Promise<{ readonly kind: string; readonly id: string }[]> {
  const rows = await connection.rows<{ kind: string; id: string; value: string }>(
    'SELECT kind, id, value FROM document',
  );
  return rows.filter(
    ({ id, value }) => id === organisationId || JSON.parse(value).organisationId === organisationId,
  );
}

async function exists(
  connection: SqlConnection,
  rows: string,
  values: readonly SqlValue[],
): Promise<boolean> {
  return (await connection.rows(`SELECT 1 AS one FROM ${rows} LIMIT 1`, values)).length > 0;
}
