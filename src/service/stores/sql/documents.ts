import type {
  AdministrativeDocument,
  DocumentBound,
  DocumentKind,
  DocumentRevision,
  NewAuditLogEntry,
} from '../../../core/administrative-records.ts';
import { refuseTooMany } from '../document-bounds.ts';
import { ownerOfNew } from '../organisation-documents.ts';
import { notFound } from '../store-errors.ts';
import { writeAuditEntry } from './audit-log.ts';
import type { SqlConnection } from './connection.ts';
import { holdUnchanged, writeDocument } from './hold-unchanged.ts';
import { missingId } from './missing-id.ts';

export const DOCUMENT_COLUMNS = 'kind, id, revision, value';

export interface DocumentRow {
  readonly kind: DocumentKind;
  readonly id: string;
  readonly revision: number;
  readonly value: string;
}

export function documentFrom(row: DocumentRow): AdministrativeDocument {
  return { ...row, value: JSON.parse(row.value) as unknown };
}

async function documentsOf(
  connection: SqlConnection,
  kind: DocumentKind,
): Promise<AdministrativeDocument[]> {
  const rows = await connection.rows<DocumentRow>(
    `SELECT ${DOCUMENT_COLUMNS} FROM document WHERE kind = $1 ORDER BY id`,
    [kind],
  );
  return rows.map(documentFrom);
}

/** @throws TicketscanError `not_found` */
async function holdOwner(
  connection: SqlConnection,
  document: AdministrativeDocument,
): Promise<void> {
  const owner = ownerOfNew(document);
  if (owner === undefined) return;
  const unknown = await missingId(connection, 'organisation', [owner], connection.forKeyShare);
  if (unknown !== undefined) throw notFound('organisation', unknown);
}

export async function findDocument(
  connection: SqlConnection,
  kind: DocumentKind,
  id: string,
): Promise<AdministrativeDocument | undefined> {
  const [row] = await connection.rows<DocumentRow>(
    `SELECT ${DOCUMENT_COLUMNS} FROM document WHERE kind = $1 AND id = $2`,
    [kind, id],
  );
  return row && documentFrom(row);
}

export function listDocuments(
  connection: SqlConnection,
  kind: DocumentKind,
): Promise<AdministrativeDocument[]> {
  return documentsOf(connection, kind);
}

export function putDocument(
  connection: SqlConnection,
  document: AdministrativeDocument,
  auditEntry: NewAuditLogEntry | null,
  unchanged: readonly DocumentRevision[] = [],
  bounds: readonly DocumentBound[] = [],
): Promise<void> {
  const { kind } = document;
  return connection.inTransaction(async () => {
    await holdOwner(connection, document);
    if (bounds.length > 0) {
      await connection.lockDocuments(kind);
      refuseTooMany(await documentsOf(connection, kind), document, bounds);
    }
    if (unchanged.length > 0) await holdUnchanged(connection, [document, ...unchanged]);
    await writeDocument(connection, document);
    await writeAuditEntry(connection, auditEntry);
  });
}

export function deleteDocument(
  connection: SqlConnection,
  kind: DocumentKind,
  id: string,
  auditEntry: NewAuditLogEntry | null,
  unchanged: readonly DocumentRevision[] = [],
): Promise<void> {
  return connection.inTransaction(async () => {
    await holdUnchanged(connection, unchanged);
    await connection.run('DELETE FROM document WHERE kind = $1 AND id = $2', [kind, id]);
    await writeAuditEntry(connection, auditEntry);
  });
}
