import pg from 'pg';
import { expect, test } from 'vitest';
import { openStore } from '../../../src/stores/open-store.ts';
import { fillStore } from '../../support/full-store.ts';
import { execute, postgresSchema } from '../../support/postgres/schema.ts';
import { tablesOf } from '../../support/postgres/schema-state.ts';
import { storeSchema } from '../../support/postgres/store-schema.ts';
import { TestStore } from '../../support/stores.ts';

test('a test that gets the schema of another one finds what a new schema holds, in every table', async () => {
  const used = await storeSchema();
  {
    await using gate = await TestStore.openAt(used);
    await fillStore(gate);
    await execute(REMAINING_TABLES, used.url);
    const empty = Object.entries(await rowsOf(used.url)).filter(([, rows]) => rows.length === 0);
    expect(Object.fromEntries(empty), 'fill these tables too').toEqual({});
  }

  const again = await storeSchema();
  const made = await postgresSchema();
  await (await openStore(made.url)).close();

  expect(again.name).toBe(used.name);
  expect(await rowsOf(again.url)).toEqual(await rowsOf(made.url));
  const numbers =
    'SELECT sequencename, last_value FROM pg_sequences WHERE schemaname = current_schema() ORDER BY 1';
  expect((await execute(numbers, again.url)).rows).toEqual((await execute(numbers, made.url)).rows);
  await again.remove();
  await made.remove();
});

test.each([
  'ALTER TABLE ticket ADD COLUMN mine text',
  'ALTER TABLE ticket ALTER COLUMN batch SET DEFAULT 1',
  'ALTER TABLE device ADD CHECK (length(serial) < 100)',
  'CREATE INDEX ON ticket (batch)',
  'DROP VIEW ticket_record',
  'ALTER SEQUENCE scan_log_sequence INCREMENT BY 2',
  "CREATE FUNCTION mine() RETURNS integer LANGUAGE sql AS 'SELECT 1'",
  'CREATE RULE mine AS ON DELETE TO event DO INSTEAD NOTHING',
  `CREATE FUNCTION mine() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
   CREATE TRIGGER mine BEFORE UPDATE ON ticket FOR EACH ROW EXECUTE FUNCTION mine()`,
])('a schema is not used again after %s', async (change) => {
  const changed = await storeSchema();
  await execute(change, changed.url);
  await changed.remove();
  const next = await storeSchema();
  expect(next.name).not.toBe(changed.name);
  await next.remove();
});

/** Those that `fillStore` leaves empty. */
const REMAINING_TABLES = `
  INSERT INTO pruned_use VALUES ('tkt_x', 1);
  INSERT INTO undone_use VALUES (1, 2, 'Ada', 'a mistake');
  INSERT INTO site_change (event_id, ticket_id, at) VALUES ('x', 'tkt_x', 1);
  INSERT INTO unfinished_copy VALUES (1, '{}')`;

async function rowsOf(url: string): Promise<Record<string, unknown[]>> {
  const client = new pg.Client(url);
  await client.connect();
  const all: Record<string, unknown[]> = {};
  for (const table of await tablesOf(client))
    all[table] = (await client.query(`SELECT * FROM ${table}`)).rows;
  await client.end();
  return all;
}
