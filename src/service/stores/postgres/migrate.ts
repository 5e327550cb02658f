import type { ClientBase } from 'pg';
import { newerStore } from '../store-errors.ts';
import { foldedName } from '../ticket-row.ts';
import { MIGRATIONS } from './migrations.ts';
import { inTransaction } from './transaction.ts';

/** With the schema's own number: stores in two schemas of one database do not wait for each other. */
const ADVISORY_LOCK = 0x7473636e;
/** The format that keeps folded names. */
const FOLDS_NAMES = 3;
const FOLDED_AT_ONCE = 5000;

/**
 * Creates the tables, or brings them up to date. Of several instances that start together one does it, under an advisory
 * lock; the others wait and find it done.
 * @returns the version that was found; 0 for a new database
 * @throws TicketscanError `store_newer` when a later version of the program has been here; nothing is changed then
 */
export async function migrate(client: ClientBase): Promise<number> {
  const found = (await versionOf(client)) ?? 0;
  if (found === MIGRATIONS.length) return found;
  return inTransaction(client, async () => {
    await client.query('SELECT pg_advisory_xact_lock($1, hashtext(current_schema()))', [
      ADVISORY_LOCK,
    ]);
    await refuseNewerFormat(client);
    const version = (await versionOf(client)) ?? 0;
    if (version === 0) {
      await client.query(
        'CREATE TABLE ticketscan_schema (only_row integer PRIMARY KEY CHECK (only_row = 1), version integer NOT NULL)',
      );
      await client.query('INSERT INTO ticketscan_schema VALUES (1, 0)');
    }
    for (const migration of MIGRATIONS.slice(version)) await client.query(migration);
    if (version < FOLDS_NAMES) await foldNames(client);
    await client.query('UPDATE ticketscan_schema SET version = $1', [MIGRATIONS.length]);
    return version;
  });
}

/** The names of the tickets that there are, as searches compare them. */
async function foldNames(client: ClientBase): Promise<void> {
  for (let after = '', isLast = false; !isLast; ) {
    const { rows } = await client.query<{ id: string; first: string; last: string | null }>(
      `SELECT id, first_name AS first, last_name AS last FROM ticket
       WHERE id > $1 AND first_name IS NOT NULL ORDER BY id LIMIT $2`,
      [after, FOLDED_AT_ONCE],
    );
    const folded = rows.map(({ first, last }) =>
      foldedName({ firstName: first, lastName: last ?? '' }),
    );
    await client.query(
      `UPDATE ticket t SET folded_name = f.name FROM unnest($1::text[], $2::text[]) AS f (id, name) WHERE t.id = f.id`,
      [rows.map(({ id }) => id), folded],
    );
    after = rows.at(-1)?.id ?? '';
    isLast = rows.length < FOLDED_AT_ONCE;
  }
}

/**
 * While an instance runs, one of a later version may have changed the format: statements of the older one then fail or do harm.
 * @throws TicketscanError `store_newer`
 */
export async function refuseNewerFormat(client: ClientBase): Promise<void> {
  const version = (await versionOf(client)) ?? 0;
  if (version > MIGRATIONS.length) throw newerStore('The database', version, MIGRATIONS.length);
}

async function versionOf(client: ClientBase): Promise<number | undefined> {
  // A real query: looking a name up may be answered from before the lock was waited for.
  const { rowCount } = await client.query(
    "SELECT 1 FROM information_schema.tables WHERE table_schema = current_schema() AND table_name = 'ticketscan_schema'",
  );
  if (rowCount === 0) return undefined;
  const { rows } = await client.query<{ version: number }>('SELECT version FROM ticketscan_schema');
  return rows[0]?.version;
}
