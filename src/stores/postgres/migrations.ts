import type { ClientBase } from 'pg';
import { type OwnTables, tablesWith } from '../sql/tables.ts';
import {
  type FormatOptions,
  type FoundFormat,
  fingerprintOf,
  refuseOtherFormat,
} from '../store-format.ts';
import { WRITTEN_COLUMNS } from '../ticket-row.ts';
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

const BUCKETS = `
  CREATE TABLE rate_bucket (
    key_id text COLLATE "C" PRIMARY KEY,
    tokens double precision NOT NULL,
    filled_at double precision NOT NULL
  );`;

const LOG = `
  CREATE TABLE pruned_use (ticket_id text COLLATE "C" PRIMARY KEY, uses integer NOT NULL);

  CREATE SEQUENCE scan_log_sequence;
  CREATE TABLE scan_log (
    month integer NOT NULL,
    sequence bigint NOT NULL DEFAULT nextval('scan_log_sequence'),
    logged_at bigint NOT NULL DEFAULT floor(extract(epoch FROM now()) * 1000),
    at bigint NOT NULL,
    key_id text COLLATE "C" NOT NULL,
    serial text,
    reader text,
    action text NOT NULL,
    status text NOT NULL,
    reason text,
    ticket_id text COLLATE "C",
    excerpt text,
    uses_consumed integer,
    replayed boolean NOT NULL,
    direction text,
    done text,
    PRIMARY KEY (month, sequence)
  ) PARTITION BY LIST (month);`;

/** `unfinished_copy` says how far a copy from another store has come; no row in a store that is whole. */
const COPY = `
  CREATE TABLE scan_operation (connection uuid PRIMARY KEY, operation uuid NOT NULL, at bigint NOT NULL);

  CREATE TABLE unfinished_copy (only_row integer PRIMARY KEY CHECK (only_row = 1), note text NOT NULL);`;

const IDENTIFIED = 'id text COLLATE "C" PRIMARY KEY, ordinal bigint GENERATED ALWAYS AS IDENTITY';

const OWN: OwnTables = {
  identified: IDENTIFIED,
  ordered: `${IDENTIFIED} UNIQUE`,
  key: 'key_id',
  keyColumn: 'key_id text COLLATE "C" NOT NULL',
  // What many batches count lies in several rows, so that they do not wait for each other's commit.
  shard: ', shard',
  shardColumn: ' shard integer NOT NULL DEFAULT 0,',
  uses: ' uses_consumed integer NOT NULL, last_consumed_at bigint, uses_outside_log integer NOT NULL,',
  unique: 'PRIMARY KEY',
  sequence: 'sequence bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY',
  inOrder: '',
  counters: ' WITH (fillfactor = 80)',
  changing: ' WITH (fillfactor = 80)',
  buckets: BUCKETS,
  log: LOG,
  copy: COPY,
};

/**
 * Each entry takes the database from the format before it to its own. The first one is the baseline. Before the first release
 * the baseline itself is changed; entries that were released never are. The log has no secondary index, because every scan pays for it.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE state (only_row integer PRIMARY KEY CHECK (only_row = 1), revision bigint NOT NULL);
  INSERT INTO state VALUES (1, 1);
  ${tablesWith(OWN)}

  CREATE VIEW ticket_record AS
    SELECT t.ordinal, ${WRITTEN_COLUMNS.map(([name]) => `t.${name}`).join(', ')},
      t.uses_consumed, t.last_consumed_at,
      t.uses_outside_log + coalesce(p.uses, 0) AS uses_unlogged
    FROM ticket t LEFT JOIN pruned_use p ON p.ticket_id = t.id;

  CREATE VIEW log_record AS
    SELECT l.sequence, l.at, l.key_id, l.serial, l.reader, l.action, l.status, l.reason, l.ticket_id, l.excerpt,
      l.uses_consumed, l.replayed, l.direction, l.done,
      d.undoes, d.by_name AS undo_by, d.reason AS undo_reason, b.sequence AS undone_by
    FROM scan_log l
      LEFT JOIN undone_use d ON d.sequence = l.sequence LEFT JOIN undone_use b ON b.undoes = l.sequence;
  `,
];
