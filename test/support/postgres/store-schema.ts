import pg from 'pg';
import { openStore } from '../../../src/stores/open-store.ts';
import { isOurServer, type PostgresSchema, postgresSchema } from './schema.ts';
import { schemaState, tablesOf } from './schema-state.ts';

/** How the schema of a store looks before its first test, and the statements that make it look so again. */
interface Unused {
  readonly state: string;
  readonly restore: string;
}

/** One with a connection of its own, which has looked at all its tables before. */
interface StoreSchema extends PostgresSchema {
  readonly client: pg.Client;
}

const free: StoreSchema[] = [];
let lookOfUnused: Promise<Unused> | undefined;

/**
 * A schema with the tables of an empty store. Making the tables takes ten times as long as emptying them, so `remove`
 * empties them and keeps the schema for another test of this process. It drops a schema that then differs from one that was
 * never used: in a row, in a sequence, or in anything that the catalogue tells.
 */
export async function storeSchema(): Promise<PostgresSchema> {
  // Nothing may be left on a server that is not ours.
  if (!isOurServer()) return postgresSchema();
  const schema = free.pop() ?? (await newStoreSchema());
  const remove = async () => {
    if (await isUnusedAgain(schema)) return void free.push(schema);
    await schema.client.end();
    await schema.remove();
  };
  return { ...schema, remove };
}

async function newStoreSchema(): Promise<StoreSchema> {
  const schema = await postgresSchema();
  await (await openStore(schema.url)).close();
  const client = new pg.Client(schema.url);
  // The server may end before this process does.
  client.on('error', () => {});
  await client.connect();
  lookOfUnused ??= lookAtUnused(client);
  await lookOfUnused;
  return { ...schema, client };
}

async function isUnusedAgain({ client }: StoreSchema): Promise<boolean> {
  const unused = await lookOfUnused;
  try {
    await client.query(unused?.restore ?? '');
    return (await schemaState(client)) === unused?.state;
  } catch {
    // A test removed a table, or left a transaction open.
    return false;
  }
}

async function lookAtUnused(client: pg.Client): Promise<Unused> {
  const tables = await tablesOf(client);
  const inserts: string[] = [];
  for (const table of tables) {
    const { rows } = await client.query<{ all: string | null }>(
      `SELECT json_agg(t)::text AS all FROM ${table} t`,
    );
    const all = rows[0]?.all;
    if (all)
      inserts.push(
        `INSERT INTO ${table} SELECT * FROM json_populate_recordset(NULL::${table}, ${client.escapeLiteral(all)})`,
      );
  }
  const restore = [
    'BEGIN',
    // Whoever still writes is waited for, and the schema given up when that takes long.
    "SET LOCAL lock_timeout = '2s'",
    `LOCK TABLE ${tables.join()}`,
    // No trigger, so that tables may be emptied in any order.
    'SET LOCAL session_replication_role = replica',
    DROP_PARTS,
    ...tables.map((table) => `DELETE FROM ${table}`),
    ...inserts,
    RESTART_SEQUENCES,
    'COMMIT',
  ].join(';\n');
  return { state: await schemaState(client), restore };
}

const DROP_PARTS = `DO $$
  DECLARE part regclass;
  BEGIN
    FOR part IN SELECT inhrelid FROM pg_inherits JOIN pg_class ON oid = inhparent
      WHERE relkind = 'p' AND relnamespace = current_schema()::regnamespace
    LOOP EXECUTE 'DROP TABLE ' || part; END LOOP;
  END $$`;

const RESTART_SEQUENCES = `
  SELECT setval(seqrelid, seqstart, false) FROM pg_sequence JOIN pg_class ON oid = seqrelid
  WHERE relnamespace = current_schema()::regnamespace`;
