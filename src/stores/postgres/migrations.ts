import type { ClientBase } from 'pg';
import {
  type FormatOptions,
  type FoundFormat,
  fingerprintOf,
  refuseOtherFormat,
} from '../store-format.ts';
import { ABSENT_TEXTS, WRITTEN_COLUMNS } from '../ticket-row.ts';
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

/**
 * Each entry takes the database from the format before it to its own. The first one is the baseline. Before the first release
 * the baseline itself is changed; entries that were released never are.
 *
 * Ids are compared byte by byte (`COLLATE "C"`), so that every server locks tickets in the same order whatever its
 * language. Times are milliseconds since 1970 UTC. The log has no secondary index, because every scan pays for it.
 */
export const MIGRATIONS: readonly string[] = [
  [
    `
  CREATE TABLE state (only_row integer PRIMARY KEY CHECK (only_row = 1), revision bigint NOT NULL);
  INSERT INTO state VALUES (1, 1);

  CREATE TABLE write_check (only_row integer PRIMARY KEY CHECK (only_row = 1), number bigint NOT NULL);
  INSERT INTO write_check VALUES (1, 0);

  CREATE TABLE organisation (
    id text COLLATE "C" PRIMARY KEY,
    ordinal bigint GENERATED ALWAYS AS IDENTITY,
    name text NOT NULL UNIQUE,
    rate_per_second double precision NOT NULL,
    burst bigint NOT NULL,
    quota_per_month bigint NOT NULL,
    keys_max integer NOT NULL,
    created_at bigint NOT NULL,
    time_zone text,
    sample_neighbour boolean NOT NULL
  );

  CREATE TABLE event (
    id text COLLATE "C" PRIMARY KEY,
    ordinal bigint GENERATED ALWAYS AS IDENTITY,
    organisation_id text COLLATE "C" NOT NULL REFERENCES organisation,
    name text NOT NULL,
    created_at bigint NOT NULL,
    archived_at bigint,
    UNIQUE (organisation_id, name)
  );

  CREATE TABLE api_key (
    id text COLLATE "C" PRIMARY KEY,
    ordinal bigint GENERATED ALWAYS AS IDENTITY,
    organisation_id text COLLATE "C" NOT NULL REFERENCES organisation,
    hash text COLLATE "C" NOT NULL UNIQUE,
    name text NOT NULL,
    type text NOT NULL CHECK (type IN ('api', 'hardware')),
    all_events boolean NOT NULL,
    active boolean NOT NULL,
    relay text NOT NULL,
    open_seconds integer NOT NULL,
    created_at bigint NOT NULL,
    deleted_at bigint,
    readers text NOT NULL,
    on_exit text NOT NULL,
    expires_at bigint,
    rotations integer NOT NULL,
    previous_hash text COLLATE "C" UNIQUE,
    previous_until bigint,
    device text NOT NULL
  );

  CREATE TABLE api_key_event (
    key_id text COLLATE "C" NOT NULL REFERENCES api_key,
    event_id text COLLATE "C" NOT NULL REFERENCES event,
    PRIMARY KEY (key_id, event_id)
  );

  CREATE TABLE api_key_usage (
    key_id text COLLATE "C" NOT NULL,
    month integer NOT NULL,
    shard integer NOT NULL DEFAULT 0,
    requests bigint NOT NULL,
    last_used_at bigint,
    PRIMARY KEY (key_id, month, shard)
  );

  CREATE TABLE rate_bucket (
    key_id text COLLATE "C" PRIMARY KEY,
    tokens double precision NOT NULL,
    filled_at double precision NOT NULL
  );

  CREATE TABLE device (
    key_id text COLLATE "C" NOT NULL,
    serial text NOT NULL,
    model text NOT NULL,
    address text NOT NULL,
    firmware text NOT NULL,
    last_contact_at bigint NOT NULL,
    clock text,
    PRIMARY KEY (key_id, serial)
  );
  `,
    // `batch` is the run of mint, import or create that a ticket came with. `folded_name` is what searches compare: no server
    // folds as this program does.
    `
  CREATE TABLE ticket (
    id text COLLATE "C" PRIMARY KEY,
    ordinal bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
    type text NOT NULL CHECK (type IN ('single', 'multi')),
    uses_allowed integer NOT NULL,
    first_name text,
    last_name text,
    valid_from bigint,
    valid_until bigint,
    cancelled_at bigint,
    created_at bigint NOT NULL,
    uses_consumed integer NOT NULL,
    last_consumed_at bigint,
    uses_outside_log integer NOT NULL,
    ${ABSENT_TEXTS.map((name) => `${name} text`).join(', ')}
  ) WITH (fillfactor = 80);

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
  ) PARTITION BY LIST (month);
  `,
    // An undone entry of the log, by its number, and the entry whose use it takes back.
    `
  CREATE TABLE undone_use (
    sequence bigint PRIMARY KEY,
    undoes bigint NOT NULL UNIQUE,
    by_name text NOT NULL,
    reason text NOT NULL
  );
  `,
    // How many scans there were, for the statistics; a text is empty where a scan has none. `pruned` of them are no longer in the log.
    // In several rows each, as in `api_key_usage`, so that batches do not wait for each other's commit.
    `
  CREATE TABLE scan_count (
    quarter bigint NOT NULL,
    key_id text COLLATE "C" NOT NULL,
    event_id text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    serial text COLLATE "C" NOT NULL,
    action text COLLATE "C" NOT NULL,
    outcome text COLLATE "C" NOT NULL,
    direction text COLLATE "C" NOT NULL,
    scans bigint NOT NULL,
    pruned bigint NOT NULL,
    shard integer NOT NULL DEFAULT 0,
    PRIMARY KEY (quarter, key_id, event_id, kind, serial, action, outcome, direction, shard)
  ) WITH (fillfactor = 80);

  CREATE TABLE event_occupancy (
    event_id text COLLATE "C" NOT NULL,
    shard integer NOT NULL DEFAULT 0,
    entered bigint NOT NULL,
    exited bigint NOT NULL,
    reset_at bigint,
    PRIMARY KEY (event_id, shard)
  );

  CREATE TABLE stored_answer (
    key_id text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    body_hash text NOT NULL,
    decision text NOT NULL,
    expires_at bigint NOT NULL,
    PRIMARY KEY (key_id, name)
  );
  CREATE INDEX stored_answer_expires_at ON stored_answer (expires_at);

  CREATE TABLE scan_operation (connection uuid PRIMARY KEY, operation uuid NOT NULL, at bigint NOT NULL);
  `,
    // How far a copy from another store has come; no row in a store that is whole.
    `
  CREATE TABLE unfinished_copy (only_row integer PRIMARY KEY CHECK (only_row = 1), note text NOT NULL);
  `,
    // Accounts and what they did. The audit log names objects by text: it outlives them.
    `
  CREATE TABLE document (
    kind text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    revision integer NOT NULL,
    value text NOT NULL,
    PRIMARY KEY (kind, id)
  );

  CREATE TABLE trail (
    sequence bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    at bigint NOT NULL,
    organisation_id text COLLATE "C",
    account_id text COLLATE "C",
    by_name text NOT NULL,
    act text NOT NULL,
    subject text NOT NULL,
    details text NOT NULL
  );
  CREATE INDEX trail_organisation ON trail (organisation_id, sequence);

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
  ].join(''),
];
