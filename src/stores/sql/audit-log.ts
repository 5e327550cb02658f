import type { AuditLogEntry, NewAuditLogEntry } from '../../core/administrative-records.ts';
import type { AuditFilter } from '../record-store.ts';
import type { SqlConnection, SqlValue } from './connection.ts';

export const AUDIT_COLUMNS =
  'sequence, at, organisation_id AS "organisationId", account_id AS "accountId", by_name AS "by", act, subject, details';

export interface AuditRow extends Omit<AuditLogEntry, 'details'> {
  readonly details: string;
}

export function auditEntryFrom(row: AuditRow): AuditLogEntry {
  return { ...row, details: JSON.parse(row.details) as AuditLogEntry['details'] };
}

/** Writes an audit entry inside the transaction of its change; nothing for null. */
export async function writeAuditEntry(
  connection: SqlConnection,
  auditEntry: NewAuditLogEntry | null,
): Promise<void> {
  if (!auditEntry) return;
  await connection.run(
    'INSERT INTO trail (at, organisation_id, account_id, by_name, act, subject, details) VALUES ($1, $2, $3, $4, $5, $6, $7)',
    valuesOf(auditEntry),
  );
}

/** As `writeAuditEntry`, with the number that the entry has in another store. */
export async function insertAuditEntry(
  connection: SqlConnection,
  entry: AuditLogEntry,
): Promise<void> {
  await connection.run(
    `INSERT INTO trail (at, organisation_id, account_id, by_name, act, subject, details, sequence)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [...valuesOf(entry), entry.sequence],
  );
}

function valuesOf(auditEntry: NewAuditLogEntry): SqlValue[] {
  const { at, organisationId, accountId, by, subject, details } = auditEntry;
  return [at, organisationId, accountId, by, auditEntry.act, subject, JSON.stringify(details)];
}

export async function readAuditLog(
  connection: SqlConnection,
  { organisationId, beforeSequence, limit }: AuditFilter,
): Promise<AuditLogEntry[]> {
  const values: SqlValue[] = [beforeSequence ?? Number.MAX_SAFE_INTEGER, limit];
  const ofOrganisation =
    organisationId === undefined ? '' : `AND organisation_id = $${values.push(organisationId)}`;
  const rows = await connection.rows<AuditRow>(
    `SELECT ${AUDIT_COLUMNS} FROM trail WHERE sequence < $1 ${ofOrganisation} ORDER BY sequence DESC LIMIT $2`,
    values,
  );
  return rows.map(auditEntryFrom);
}
