import type {
  AdministrativeDocument,
  DocumentKind,
  DocumentRevision,
} from '../../core/administrative-records.ts';
import { changedMeanwhile } from '../store-errors.ts';
import type { SqlConnection } from './connection.ts';

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

export async function readDocument(
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

export async function listDocuments(
  connection: SqlConnection,
  kind: DocumentKind,
): Promise<AdministrativeDocument[]> {
  const rows = await connection.rows<DocumentRow>(
    `SELECT ${DOCUMENT_COLUMNS} FROM document WHERE kind = $1 ORDER BY id`,
    [kind],
  );
  return rows.map(documentFrom);
}

/** Accounts of an organisation, and what is kept beside it: settings, webhooks, counts of refusals. */
export async function documentsOf(
  connection: SqlConnection,
  organisationId: string,
): Promise<AdministrativeDocument[]> {
  const rows = await connection.rows<DocumentRow>(`SELECT ${DOCUMENT_COLUMNS} FROM document`);
  return rows
    .map(documentFrom)
    .filter(
      ({ id, value }) =>
        id === organisationId ||
        (value as { readonly organisationId?: unknown }).organisationId === organisationId,
    );
}

/** Nobody else can change them until the transaction ends. In one order for all: two that hold the same never wait in a circle. */
export async function checkRevisions(
  connection: SqlConnection,
  unchanged: readonly DocumentRevision[],
): Promise<void> {
  const inOrder = [...unchanged].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  for (const { kind, id, revision } of inOrder) {
    const [stored] = await connection.rows<{ revision: number }>(
      `SELECT revision FROM document WHERE kind = $1 AND id = $2${connection.forUpdate}`,
      [kind, id],
    );
    if ((stored?.revision ?? 0) !== revision) throw changedMeanwhile(kind);
  }
}

function nameOf({ kind, id }: DocumentRevision): string {
  return `${kind} ${id}`;
}

/** @throws TicketscanError `conflict` when the stored revision is another */
export async function writeDocument(
  connection: SqlConnection,
  { kind, id, revision, value }: AdministrativeDocument,
): Promise<void> {
  const text = JSON.stringify(value);
  const written =
    revision === 0
      ? connection.run('INSERT INTO document VALUES ($1, $2, 1, $3) ON CONFLICT DO NOTHING', [
          kind,
          id,
          text,
        ])
      : connection.run(
          'UPDATE document SET revision = revision + 1, value = $3 WHERE kind = $1 AND id = $2 AND revision = $4',
          [kind, id, text, revision],
        );
  if ((await written) !== 1) throw changedMeanwhile(kind);
}

export async function deleteDocument(
  connection: SqlConnection,
  { kind, id }: Pick<AdministrativeDocument, 'kind' | 'id'>,
): Promise<void> {
  await connection.run('DELETE FROM document WHERE kind = $1 AND id = $2', [kind, id]);
}

/** Inside a transaction: writes a document of the store's own, whatever its revision. */
export async function putDocument(
  connection: SqlConnection,
  { kind, id, value }: Pick<AdministrativeDocument, 'kind' | 'id' | 'value'>,
): Promise<void> {
  await connection.run(
    `INSERT INTO document (kind, id, revision, value) VALUES ($1, $2, 1, $3)
     ON CONFLICT (kind, id) DO UPDATE SET revision = document.revision + 1, value = excluded.value`,
    [kind, id, JSON.stringify(value)],
  );
}
