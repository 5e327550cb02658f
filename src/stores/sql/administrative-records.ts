import type {
  AdministrativeKind,
  AdministrativeRecord,
  AdministrativeRevision,
  AuditLogEntry,
  NewAuditLogEntry,
} from '../../core/administrative-records.ts';
import type { AdministrativeMember, AuditFilter } from '../record-store.ts';
import { changedMeanwhile } from '../store-errors.ts';
import type { SqlConnection, SqlValue } from './connection.ts';
import { insert, select } from './rows.ts';
import { ADMINISTRATIVE_RECORDS, AUDIT_LOG } from './tables.ts';

/** Writes an audit entry inside the transaction of its change; writes nothing for null. */
export async function writeAuditEntry(
  sql: SqlConnection,
  auditEntry: NewAuditLogEntry | null,
): Promise<void> {
  if (auditEntry) await insert(sql, AUDIT_LOG, auditEntry);
}

export async function readAuditLog(
  sql: SqlConnection,
  { organisationId, beforeSequence, limit }: AuditFilter,
): Promise<AuditLogEntry[]> {
  const values: SqlValue[] = [beforeSequence ?? Number.MAX_SAFE_INTEGER, limit];
  const ofOrganisation =
    organisationId === undefined ? '' : `AND organisation_id = $${values.push(organisationId)}`;
  return select(
    sql,
    AUDIT_LOG,
    `WHERE sequence < $1 ${ofOrganisation} ORDER BY sequence DESC LIMIT $2`,
    values,
  );
}

export async function readAdministrative(
  sql: SqlConnection,
  kind: AdministrativeKind,
  id: string,
): Promise<AdministrativeRecord | undefined> {
  const [found] = await select(sql, ADMINISTRATIVE_RECORDS, 'WHERE kind = $1 AND id = $2', [
    kind,
    id,
  ]);
  return found;
}

export function listAdministrative(
  sql: SqlConnection,
  kind: AdministrativeKind,
  member?: AdministrativeMember,
): Promise<AdministrativeRecord[]> {
  if (!member) return select(sql, ADMINISTRATIVE_RECORDS, 'WHERE kind = $1 ORDER BY id', [kind]);
  const isOne = sql.anyOf(sql.memberOf('value', member.name), '$2');
  return select(sql, ADMINISTRATIVE_RECORDS, `WHERE kind = $1 AND ${isOne} ORDER BY id`, [
    kind,
    member.anyOf,
  ]);
}

/** Checks that administrative records are unchanged, and locks them until the transaction ends, always in the same order: transactions never wait in a circle. */
export async function checkRevisions(
  sql: SqlConnection,
  unchanged: readonly AdministrativeRevision[],
): Promise<void> {
  const inOrder = [...unchanged].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  for (const { kind, id, revision } of inOrder) {
    const [stored] = await sql.rows<{ revision: number }>(
      `SELECT revision FROM administrative_record WHERE kind = $1 AND id = $2${sql.forUpdate}`,
      [kind, id],
    );
    if ((stored?.revision ?? 0) !== revision) throw changedMeanwhile(kind);
  }
}

function nameOf({ kind, id }: AdministrativeRevision): string {
  return `${kind} ${id}`;
}

/** @throws TicketscanError `conflict` if the stored revision differs */
export async function writeAdministrative(
  sql: SqlConnection,
  record: AdministrativeRecord,
): Promise<void> {
  const { kind, id, revision, value } = record;
  const written =
    revision === 0
      ? insert(sql, ADMINISTRATIVE_RECORDS, { ...record, revision: 1 }, 'ON CONFLICT DO NOTHING')
      : sql.run(
          'UPDATE administrative_record SET revision = revision + 1, value = $3 WHERE kind = $1 AND id = $2 AND revision = $4',
          [kind, id, JSON.stringify(value), revision],
        );
  if ((await written) !== 1) throw changedMeanwhile(kind);
}

export async function deleteAdministrative(
  sql: SqlConnection,
  { kind, id }: Pick<AdministrativeRecord, 'kind' | 'id'>,
): Promise<void> {
  await sql.run('DELETE FROM administrative_record WHERE kind = $1 AND id = $2', [kind, id]);
}

/** Writes an administrative record that the store itself keeps, whatever its revision; the caller holds a transaction. */
export async function putAdministrative(
  sql: SqlConnection,
  record: Pick<AdministrativeRecord, 'kind' | 'id' | 'value'>,
): Promise<void> {
  const replace =
    'UPDATE SET revision = administrative_record.revision + 1, value = excluded.value';
  const onConflict = `ON CONFLICT (kind, id) DO ${replace}`;
  await insert(sql, ADMINISTRATIVE_RECORDS, { ...record, revision: 1 }, onConflict);
}
