import type {
  AdministrativeDocument,
  DocumentRevision,
} from '../../../core/administrative-records.ts';
import { changedMeanwhile } from '../store-errors.ts';
import type { SqlConnection } from './connection.ts';

/** Nobody else can change them until the transaction ends. In one order for all: two that hold the same never wait in a circle. */
export async function holdUnchanged(
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

function nameOf({ kind, id }: DocumentRevision): string {
  return `${kind} ${id}`;
}
