import type { SqlConnection } from './connection.ts';

/** One of `ids` that `table` does not have, or undefined when it has them all. */
export async function missingId(
  connection: SqlConnection,
  table: 'event' | 'api_key' | 'ticket',
  ids: Iterable<string>,
): Promise<string | undefined> {
  const wanted = [...new Set(ids)];
  const rows = await connection.rows<{ id: string }>(
    `SELECT id FROM ${table} WHERE ${connection.anyOf('id', '$1')}`,
    [wanted],
  );
  const known = new Set(rows.map(({ id }) => id));
  return wanted.find((id) => !known.has(id));
}
