import type { DocumentRevision } from '../../../core/administrative-records.ts';
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

function nameOf({ kind, id }: DocumentRevision): string {
  return `${kind} ${id}`;
}
