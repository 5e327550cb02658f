import type { ClientBase } from 'pg';
import {
  type FormatOptions,
  type FoundFormat,
  fingerprintOf,
  refuseOtherFormat,
} from '../store-format.ts';
import { MIGRATIONS } from './migrations.ts';
import { inTransaction } from './transaction.ts';

/** With the schema's own number: stores in two schemas of one database do not wait for each other. */
const ADVISORY_LOCK = 0x7473636e;

/** The store, for messages. */
const WHAT = 'The database';

/**
 * Creates the tables, or brings them up to date. Of several instances that start together one does it, under an advisory
 * lock; the others wait and find it done.
 * @param migrations others than those of this program, for tests of what a later one will do
 * @returns the version that was found; 0 for a new database
 * @throws TicketscanError as `refuseOtherFormat` does; nothing is changed then
 */
export async function migrate(
  client: ClientBase,
  options: FormatOptions = {},
  migrations = MIGRATIONS,
): Promise<number> {
  const format = await formatOf(client);
  if (format) refuseOtherFormat(WHAT, format, migrations, options);
  if (format?.version === migrations.length) return format.version;
  return inTransaction(client, async () => {
    await client.query('SELECT pg_advisory_xact_lock($1, hashtext(current_schema()))', [
      ADVISORY_LOCK,
    ]);
    const found = await formatOf(client);
    if (found) refuseOtherFormat(WHAT, found, migrations);
    else await client.query(`${FORMAT_TABLE}; INSERT INTO ticketscan_schema VALUES (1, 0, '')`);
    const version = found?.version ?? 0;
    for (const migration of migrations.slice(version)) await client.query(migration);
    await client.query('UPDATE ticketscan_schema SET version = $1, fingerprint = $2', [
      migrations.length,
      fingerprintOf(migrations),
    ]);
    return version;
  });
}

const FORMAT_TABLE = `CREATE TABLE ticketscan_schema (
  only_row integer PRIMARY KEY CHECK (only_row = 1), version integer NOT NULL, fingerprint text NOT NULL)`;

/**
 * While an instance runs, one of a later version may have changed the format: statements of the older one then fail or do harm.
 * @throws TicketscanError as `refuseOtherFormat` does
 */
export async function refuseChangedFormat(client: ClientBase): Promise<void> {
  const found = await formatOf(client);
  if (found) refuseOtherFormat(WHAT, found, MIGRATIONS);
}

/** Undefined where there are no tables yet. */
async function formatOf(client: ClientBase): Promise<FoundFormat | undefined> {
  // A real query: looking a name up may be answered from before the lock was waited for.
  const { rowCount } = await client.query(
    "SELECT 1 FROM information_schema.tables WHERE table_schema = current_schema() AND table_name = 'ticketscan_schema'",
  );
  if (rowCount === 0) return undefined;
  // As JSON, because a table that was made before a release may lack a column.
  const { rows } = await client.query<{ format: FoundFormat }>(
    'SELECT to_jsonb(s) AS format FROM ticketscan_schema s',
  );
  const [row] = rows;
  return { version: row?.format.version ?? 0, fingerprint: row?.format.fingerprint };
}
