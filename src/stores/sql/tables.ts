import { ABSENT_TEXTS } from '../ticket-row.ts';

/**
 * The tables of a database, in the words of PostgreSQL and with a hole for each part that an engine has of its own. Ids are compared byte by
 * byte (`COLLATE "C"`), so that every server locks tickets in the same order whatever its language. Times are milliseconds since 1970 UTC.
 *
 * `id` is what people see, `ordinal` the number of the row. `batch` is the run of mint, import or create that a ticket came with.
 * `folded_name` is what searches compare, folded in JavaScript: SQLite folds ASCII only, and no server folds as this program does.
 * `undone_use` has the entries of the log that take back a use, by their numbers. `scan_count` is for the statistics: a text is empty where
 * a scan has none, and `pruned` scans are no longer in the log. The audit log names objects by text: it outlives them.
 */
const TABLES = `
  CREATE TABLE write_check (only_row integer PRIMARY KEY CHECK (only_row = 1), number bigint NOT NULL);
  INSERT INTO write_check VALUES (1, 0);

  CREATE TABLE organisation (
    {identified},
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
    {identified},
    organisation_id text COLLATE "C" NOT NULL REFERENCES organisation,
    name text NOT NULL,
    created_at bigint NOT NULL,
    archived_at bigint,
    UNIQUE (organisation_id, name)
  );

  CREATE TABLE api_key (
    {identified},
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
  ){inOrder};

  CREATE TABLE api_key_usage (
    {keyColumn},
    month integer NOT NULL,{shardColumn}
    requests bigint NOT NULL,
    last_used_at bigint,
    PRIMARY KEY ({key}, month{shard})
  ){inOrder};
  {buckets}
  CREATE TABLE device (
    {keyColumn},
    serial text NOT NULL,
    model text NOT NULL,
    address text NOT NULL,
    firmware text NOT NULL,
    last_contact_at bigint,
    clock text,
    last_scan_at bigint,
    PRIMARY KEY ({key}, serial)
  ){inOrder};

  CREATE TABLE ticket (
    {ordered},
    type text NOT NULL CHECK (type IN ('single', 'multi')),
    uses_allowed integer NOT NULL,
    first_name text,
    last_name text,
    valid_from bigint,
    valid_until bigint,
    cancelled_at bigint,
    created_at bigint NOT NULL,{uses}
    ${ABSENT_TEXTS.map((name) => `${name} text`).join(', ')}
  ){changing};

  {log}

  CREATE TABLE undone_use (
    sequence bigint PRIMARY KEY,
    undoes bigint NOT NULL UNIQUE,
    by_name text NOT NULL,
    reason text NOT NULL
  );

  CREATE TABLE scan_count (
    quarter bigint NOT NULL,
    {keyColumn},
    event_id text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    serial text COLLATE "C" NOT NULL,
    action text COLLATE "C" NOT NULL,
    outcome text COLLATE "C" NOT NULL,
    direction text COLLATE "C" NOT NULL,
    scans bigint NOT NULL,
    pruned bigint NOT NULL,{shardColumn}
    PRIMARY KEY (quarter, {key}, event_id, kind, serial, action, outcome, direction{shard})
  ){counters};

  CREATE TABLE event_occupancy (
    event_id text COLLATE "C" NOT NULL,
    shard integer NOT NULL DEFAULT 0,
    entered bigint NOT NULL,
    exited bigint NOT NULL,
    reset_at bigint,
    PRIMARY KEY (event_id, shard)
  ){inOrder};

  CREATE TABLE stored_answer (
    {keyColumn},
    name text COLLATE "C" NOT NULL,
    body_hash text NOT NULL,
    decision text NOT NULL,
    expires_at bigint NOT NULL,
    {unique} ({key}, name)
  );
  CREATE INDEX stored_answer_expires_at ON stored_answer (expires_at);

  {copy}

  CREATE TABLE document (
    kind text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    revision integer NOT NULL,
    value text NOT NULL,
    PRIMARY KEY (kind, id)
  ){inOrder};

  CREATE TABLE trail (
    {sequence},
    at bigint NOT NULL,
    organisation_id text COLLATE "C",
    account_id text COLLATE "C",
    by_name text NOT NULL,
    act text NOT NULL,
    subject text NOT NULL,
    details text NOT NULL
  );
  CREATE INDEX trail_organisation ON trail (organisation_id, sequence);
`;

/** What an engine has in the holes: columns, ends of tables, and whole tables. */
export interface OwnTables {
  readonly identified: string;
  /** Of `ticket`, as `identified`. */
  readonly ordered: string;
  /** The name of the column that names a key, and the column. */
  readonly key: string;
  readonly keyColumn: string;
  readonly shard: string;
  readonly shardColumn: string;
  readonly uses: string;
  readonly unique: string;
  readonly sequence: string;
  /** At the end of a table that is kept in the order of its key. */
  readonly inOrder: string;
  readonly counters: string;
  readonly changing: string;
  readonly buckets: string;
  readonly log: string;
  readonly copy: string;
}

export function tablesWith(own: OwnTables): string {
  return TABLES.replaceAll(/\{(\w+)\}/g, (_, hole: keyof OwnTables) => own[hole]);
}
