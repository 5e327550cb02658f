import type {
  AdministrativeDocument,
  DocumentBound,
  DocumentKind,
  DocumentRevision,
  NewAuditLogEntry,
} from '../../../core/administrative-records.ts';
import { refuseTooMany } from '../document-bounds.ts';
import { changedMeanwhile } from '../store-errors.ts';
import { writeAuditEntry } from './audit-log.ts';
import type { SqlConnection } from './connection.ts';
import { holdUnchanged } from './hold-unchanged.ts';
import { SqlLogSearch } from './log-search.ts';

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

/** @returns 0 when the stored revision is another */
function write(
  connection: SqlConnection,
  { kind, id, revision, value }: AdministrativeDocument,
): Promise<number> {
  const text = JSON.stringify(value);
  return revision === 0
    ? connection.run('INSERT INTO document VALUES ($1, $2, 1, $3) ON CONFLICT DO NOTHING', [
        kind,
        id,
        text,
      ])
    : connection.run(
        'UPDATE document SET revision = revision + 1, value = $3 WHERE kind = $1 AND id = $2 AND revision = $4',
        [kind, id, text, revision],
      );
}

/** Administrative documents. Methods are described in `Store`. */
export abstract class SqlDocuments extends SqlLogSearch {
  findDocument(kind: DocumentKind, id: string): Promise<AdministrativeDocument | undefined> {
    return this.quickly(async (connection) => {
      const [row] = await connection.rows<DocumentRow>(
        `SELECT ${DOCUMENT_COLUMNS} FROM document WHERE kind = $1 AND id = $2`,
        [kind, id],
      );
      return row && documentFrom(row);
    });
  }

  listDocuments(kind: DocumentKind): Promise<AdministrativeDocument[]> {
    return this.quickly((connection) => documentsOf(connection, kind));
  }

  putDocument(
    document: AdministrativeDocument,
    auditEntry: NewAuditLogEntry | null,
    unchanged: readonly DocumentRevision[] = [],
    bounds: readonly DocumentBound[] = [],
  ): Promise<void> {
    return this.quickly((connection) => {
      const { kind } = document;
      return connection.inTransaction(async () => {
        if (bounds.length > 0) {
          await connection.lockDocuments(kind);
          refuseTooMany(await documentsOf(connection, kind), document, bounds);
        }
        if (unchanged.length > 0) await holdUnchanged(connection, [document, ...unchanged]);
        if ((await write(connection, document)) !== 1) throw changedMeanwhile(kind);
        await writeAuditEntry(connection, auditEntry);
      });
    });
  }

  deleteDocument(
    kind: DocumentKind,
    id: string,
    auditEntry: NewAuditLogEntry | null,
    unchanged: readonly DocumentRevision[] = [],
  ): Promise<void> {
    return this.quickly((connection) => {
      return connection.inTransaction(async () => {
        await holdUnchanged(connection, unchanged);
        await connection.run('DELETE FROM document WHERE kind = $1 AND id = $2', [kind, id]);
        await writeAuditEntry(connection, auditEntry);
      });
    });
  }
}
