import type { ClientBase } from 'pg';

/**
 * What the catalogue tells about the current schema, all rows, and how far its sequences are: stores in two schemas with
 * the same text cannot be told apart. The name of the schema is not in it.
 */
export async function schemaState(client: ClientBase): Promise<string> {
  const definitions = await client.query({ text: DEFINITIONS, rowMode: 'array' });
  const contents = (await tablesOf(client)).map(rowsOf).join(' UNION ALL ');
  const rows = await client.query({ text: contents, rowMode: 'array' });
  const sequences = await client.query({ text: SEQUENCES, rowMode: 'array' });
  return JSON.stringify([definitions.rows, rows.rows, sequences.rows], null, 1);
}

/** The tables of the current schema; one that has parts is one. */
export async function tablesOf(client: ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
     ORDER BY relname`,
  );
  return rows.map(({ name }) => name);
}

const rowsOf = (table: string) =>
  `SELECT '${table}', (SELECT array_agg(t::text ORDER BY t::text) FROM ${table} t)`;

/** PostgreSQL leaves the schema that is searched first out of most definitions, but not of those of indexes and triggers. */
const DEFINITIONS = `
  WITH relation AS (
    SELECT oid, relname, relkind, relpersistence, reloptions::text FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace
  ), definition (text) AS (
    SELECT concat_ws(' ', relname, relkind, relpersistence, reloptions) FROM relation
    UNION ALL
    SELECT concat_ws(' ', relname, attname, format_type(atttypid, atttypmod), attnotnull, attidentity,
        attcollation, pg_get_expr(adbin, adrelid))
      FROM relation JOIN pg_attribute ON attrelid = relation.oid AND attnum > 0
        LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    UNION ALL
    SELECT concat_ws(' ', relname, conname, pg_get_constraintdef(c.oid))
      FROM relation JOIN pg_constraint c ON conrelid = relation.oid
    UNION ALL
    SELECT concat_ws(' ', relname, pg_get_indexdef(indexrelid))
      FROM relation JOIN pg_index ON indrelid = relation.oid
    UNION ALL
    SELECT concat_ws(' ', relname, tgenabled, pg_get_triggerdef(t.oid))
      FROM relation JOIN pg_trigger t ON tgrelid = relation.oid AND NOT tgisinternal
    UNION ALL
    SELECT concat_ws(' ', relname, ev_enabled, pg_get_ruledef(r.oid))
      FROM relation JOIN pg_rewrite r ON ev_class = relation.oid
    UNION ALL
    SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = current_schema()::regnamespace
  )
  SELECT replace(text, current_schema() || '.', '') FROM definition ORDER BY 1`;

const SEQUENCES = `
  SELECT sequencename, start_value, increment_by, last_value FROM pg_sequences
  WHERE schemaname = current_schema() ORDER BY 1`;
