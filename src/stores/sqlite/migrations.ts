import { ABSENT_TEXTS, WRITTEN_COLUMNS } from '../ticket-row.ts';

/** Marks a SQLite file as a store of ticketscan (`PRAGMA application_id`): "tscn". */
export const APPLICATION_ID = 0x7473636e;

/**
 * Each entry takes the database from the format before it to its own. The first one is the baseline. Before the first release
 * the baseline itself is changed; entries that were released never are.
 *
 * `id` is what people see, `ordinal` the number of the row; what every scan writes names keys and tickets by that number.
 *
 * The log is the truth about uses. `ticket_use` sums it up to the entry that `state.folded` names; later uses are in the
 * log alone until they are flushed, many at once (ADR 0007). `ticket_now` is the view that includes them.
 * The log has no foreign keys and no secondary index, because every scan pays for them.
 */
export const MIGRATIONS: readonly string[] = [
  [
    `
  CREATE TABLE state (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    revision INTEGER NOT NULL,
    folded INTEGER NOT NULL
  ) STRICT;
  INSERT INTO state VALUES (1, 1, 0);

  CREATE TABLE write_check (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), number INTEGER NOT NULL) STRICT;
  INSERT INTO write_check VALUES (1, 0);

  CREATE TABLE organisation (
    ordinal INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL UNIQUE,
    rate_per_second REAL NOT NULL,
    burst INTEGER NOT NULL,
    quota_per_month INTEGER NOT NULL,
    keys_max INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    time_zone TEXT,
    sample_neighbour INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE event (
    ordinal INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    organisation_id TEXT NOT NULL REFERENCES organisation (id),
    name TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    archived_at INTEGER,
    UNIQUE (organisation_id, name)
  ) STRICT;

  CREATE TABLE api_key (
    ordinal INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    organisation_id TEXT NOT NULL REFERENCES organisation (id),
    hash TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    type TEXT NOT NULL CHECK (type IN ('api', 'hardware')),
    all_events INTEGER NOT NULL,
    active INTEGER NOT NULL,
    relay TEXT NOT NULL,
    open_seconds INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    deleted_at INTEGER,
    readers TEXT NOT NULL,
    on_exit TEXT NOT NULL,
    expires_at INTEGER,
    rotations INTEGER NOT NULL,
    previous_hash TEXT UNIQUE,
    previous_until INTEGER,
    device TEXT NOT NULL
  ) STRICT;

  CREATE TABLE api_key_event (
    key_id TEXT NOT NULL REFERENCES api_key (id),
    event_id TEXT NOT NULL REFERENCES event (id),
    PRIMARY KEY (key_id, event_id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE api_key_usage (
    api_key INTEGER NOT NULL,
    month INTEGER NOT NULL,
    requests INTEGER NOT NULL,
    last_used_at INTEGER,
    PRIMARY KEY (api_key, month)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE device (
    api_key INTEGER NOT NULL,
    serial TEXT NOT NULL,
    model TEXT NOT NULL,
    address TEXT NOT NULL,
    firmware TEXT NOT NULL,
    last_contact_at INTEGER NOT NULL,
    clock TEXT,
    PRIMARY KEY (api_key, serial)
  ) STRICT, WITHOUT ROWID;
  `,
    // `batch` is the run of mint, import or create that a ticket came with. `folded_name` is what searches compare, folded in
    // JavaScript: SQLite folds ASCII only.
    `
  CREATE TABLE ticket (
    ordinal INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    type TEXT NOT NULL CHECK (type IN ('single', 'multi')),
    uses_allowed INTEGER NOT NULL,
    first_name TEXT,
    last_name TEXT,
    valid_from INTEGER,
    valid_until INTEGER,
    cancelled_at INTEGER,
    created_at INTEGER NOT NULL,
    ${ABSENT_TEXTS.map((name) => `${name} TEXT`).join(', ')}
  ) STRICT;

  CREATE TABLE ticket_use (
    ticket INTEGER PRIMARY KEY,
    uses_consumed INTEGER NOT NULL,
    last_consumed_at INTEGER
  ) STRICT;
  `,
    // Uses of a ticket that the log does not hold: it came with them from another store, or they were pruned.
    `
  CREATE TABLE ticket_import (
    ticket INTEGER PRIMARY KEY,
    uses_consumed INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE scan_log (
    sequence INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    api_key INTEGER NOT NULL,
    serial TEXT,
    reader TEXT,
    action TEXT NOT NULL,
    status TEXT NOT NULL,
    reason TEXT,
    ticket INTEGER,
    ticket_text TEXT,
    excerpt TEXT,
    uses_consumed INTEGER,
    replayed INTEGER NOT NULL,
    direction TEXT,
    done TEXT
  ) STRICT;
  `,
    // An undone entry of the log, by its number, and the entry whose use it takes back.
    `
  CREATE TABLE undone_use (
    sequence INTEGER PRIMARY KEY,
    undoes INTEGER NOT NULL UNIQUE,
    by_name TEXT NOT NULL,
    reason TEXT NOT NULL
  ) STRICT;
  `,
    // How many scans there were, for the statistics; a text is empty where a scan has none. `pruned` of them are no longer in the log.
    `
  CREATE TABLE scan_count (
    quarter INTEGER NOT NULL,
    api_key INTEGER NOT NULL,
    event_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    serial TEXT NOT NULL,
    action TEXT NOT NULL,
    outcome TEXT NOT NULL,
    direction TEXT NOT NULL,
    scans INTEGER NOT NULL,
    pruned INTEGER NOT NULL,
    PRIMARY KEY (quarter, api_key, event_id, kind, serial, action, outcome, direction)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE event_occupancy (
    event_id TEXT NOT NULL,
    shard INTEGER NOT NULL DEFAULT 0,
    entered INTEGER NOT NULL,
    exited INTEGER NOT NULL,
    reset_at INTEGER,
    PRIMARY KEY (event_id, shard)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE stored_answer (
    api_key INTEGER NOT NULL,
    name TEXT NOT NULL,
    body_hash TEXT NOT NULL,
    decision TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    UNIQUE (api_key, name)
  ) STRICT;
  CREATE INDEX stored_answer_expires_at ON stored_answer (expires_at);
  `,
    // How far a copy from another store has come; no row in a store that is whole.
    `
  CREATE TABLE unfinished_copy (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    note TEXT NOT NULL
  ) STRICT;
  `,
    // Accounts and what they did. The audit log names objects by text: it outlives them.
    `
  CREATE TABLE document (
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    revision INTEGER NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (kind, id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE trail (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    organisation_id TEXT,
    account_id TEXT,
    by_name TEXT NOT NULL,
    act TEXT NOT NULL,
    subject TEXT NOT NULL,
    details TEXT NOT NULL
  ) STRICT;
  CREATE INDEX trail_organisation ON trail (organisation_id, sequence);

  CREATE VIEW ticket_now AS
    WITH later AS (
      SELECT ticket, max(uses_consumed) AS uses_consumed, max(at) AS at FROM scan_log
      WHERE sequence > (SELECT folded FROM state) AND status = 'consumed' AND replayed = 0
      GROUP BY ticket
    )
    SELECT u.ticket, coalesce(l.uses_consumed, u.uses_consumed) AS uses_consumed,
      coalesce(l.at, u.last_consumed_at) AS last_consumed_at
    FROM ticket_use u LEFT JOIN later l ON l.ticket = u.ticket;

  CREATE VIEW ticket_record AS
    SELECT t.ordinal, ${WRITTEN_COLUMNS.map(([name]) => `t.${name}`).join(', ')},
      u.uses_consumed, u.last_consumed_at, coalesce(i.uses_consumed, 0) AS uses_unlogged
    FROM ticket t JOIN ticket_now u ON u.ticket = t.ordinal LEFT JOIN ticket_import i ON i.ticket = t.ordinal;

  CREATE VIEW log_record AS
    SELECT l.sequence, l.at, l.api_key, k.id AS key_id, l.serial, l.reader, l.action, l.status, l.reason,
      l.ticket, l.ticket_text, coalesce(t.id, l.ticket_text) AS ticket_id, l.excerpt, l.uses_consumed, l.replayed,
      l.direction, l.done,
      d.undoes, d.by_name AS undo_by, d.reason AS undo_reason, b.sequence AS undone_by
    FROM scan_log l LEFT JOIN api_key k ON k.ordinal = l.api_key LEFT JOIN ticket t ON t.ordinal = l.ticket
      LEFT JOIN undone_use d ON d.sequence = l.sequence LEFT JOIN undone_use b ON b.undoes = l.sequence;
  `,
  ].join(''),
];
