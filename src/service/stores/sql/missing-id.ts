import type { SqlConnection } from './connection.ts';

/**
 * One of `ids` that `table` does not have, or undefined when it has them all.
 * @param lock `forKeyShare` of the connection when what is written next belongs to them: whoever deletes one waits until the end of
 *   the transaction, and looks after that
 */
export async function missingId(
  connection: SqlConnection,
  table: 'organisation' | 'event' | 'api_key',
  ids: Iterable<string>,
  lock = '',
): Promise<string | undefined> {
  const wanted = [...new Set(ids)];
  const rows = await connection.rows<{ id: string }>(
    `SELECT id FROM ${table} WHERE ${connection.anyOf('id', '$1')} ORDER BY id${lock}`,
    [wanted],
  );
  const known = new Set(rows.map(({ id }) => id));
  return wanted.find((id) => !known.has(id));
}
