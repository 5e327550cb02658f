/**
 * Each entry takes the database from the version before it to its own; entries are never changed once released.
 *
 * The log is the truth about uses. `ticket_use` sums it up to the entry that `state.folded` names; later uses are in the
 * log alone until they are folded in, many at once (ADR 0007). `ticket_now` is the view that includes them.
 * The log has no foreign keys and no secondary index, because every scan pays for them.
 */
export const MIGRATIONS: readonly string[] = [
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
    id INTEGER PRIMARY KEY,
    public_id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL UNIQUE,
    rate_per_second REAL NOT NULL,
    burst INTEGER NOT NULL,
    quota_per_month INTEGER NOT NULL,
    keys_max INTEGER NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE event (
    id INTEGER PRIMARY KEY,
    public_id TEXT NOT NULL UNIQUE,
    organisation INTEGER NOT NULL REFERENCES organisation,
    name TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (organisation, name)
  ) STRICT;

  CREATE TABLE api_key (
    id INTEGER PRIMARY KEY,
    public_id TEXT NOT NULL UNIQUE,
    organisation INTEGER NOT NULL REFERENCES organisation,
    hash TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    type TEXT NOT NULL CHECK (type IN ('api', 'hardware')),
    all_events INTEGER NOT NULL,
    active INTEGER NOT NULL,
    relay TEXT NOT NULL,
    open_seconds INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    deleted_at INTEGER
  ) STRICT;

  CREATE TABLE api_key_event (
    api_key INTEGER NOT NULL REFERENCES api_key,
    event INTEGER NOT NULL REFERENCES event,
    PRIMARY KEY (api_key, event)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE api_key_usage (
    api_key INTEGER NOT NULL,
    month INTEGER NOT NULL,
    requests INTEGER NOT NULL,
    PRIMARY KEY (api_key, month)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE ticket (
    id INTEGER PRIMARY KEY,
    public_id TEXT NOT NULL UNIQUE,
    type TEXT NOT NULL CHECK (type IN ('single', 'multi')),
    uses_allowed INTEGER NOT NULL,
    first_name TEXT,
    last_name TEXT,
    valid_from INTEGER,
    valid_until INTEGER,
    cancelled_at INTEGER,
    created_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE ticket_use (
    ticket INTEGER PRIMARY KEY,
    uses_consumed INTEGER NOT NULL,
    last_consumed_at INTEGER
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
    replayed INTEGER NOT NULL
  ) STRICT;

  CREATE VIEW ticket_now AS
    WITH later AS (
      SELECT ticket, max(uses_consumed) AS uses_consumed, max(at) AS at FROM scan_log
      WHERE sequence > (SELECT folded FROM state) AND status = 'consumed' AND replayed = 0
      GROUP BY ticket
    )
    SELECT u.ticket, coalesce(l.uses_consumed, u.uses_consumed) AS uses_consumed,
      coalesce(l.at, u.last_consumed_at) AS last_consumed_at
    FROM ticket_use u LEFT JOIN later l ON l.ticket = u.ticket;

  CREATE TABLE stored_answer (
    api_key INTEGER NOT NULL,
    name TEXT NOT NULL,
    body_hash TEXT NOT NULL,
    decision TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    UNIQUE (api_key, name)
  ) STRICT;
  CREATE INDEX stored_answer_expires_at ON stored_answer (expires_at);

  CREATE TABLE device (
    api_key INTEGER NOT NULL,
    serial TEXT NOT NULL,
    model TEXT NOT NULL,
    address TEXT NOT NULL,
    firmware TEXT NOT NULL,
    last_contact_at INTEGER NOT NULL,
    PRIMARY KEY (api_key, serial)
  ) STRICT, WITHOUT ROWID;
  `,
  // Uses of a ticket that the log does not hold: it came with them from another store, or they were pruned.
  `
  CREATE TABLE ticket_import (
    ticket INTEGER PRIMARY KEY,
    uses_consumed INTEGER NOT NULL
  ) STRICT;
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
  ALTER TABLE device ADD COLUMN clock TEXT;

  CREATE INDEX trail_organisation ON trail (organisation_id, sequence);
  `,
  // The names of the other databases. \`id\` is what people see, \`ordinal\` the number of the row; what every scan writes
  // names keys and tickets by that number.
  `
  ALTER TABLE organisation RENAME COLUMN id TO ordinal;
  ALTER TABLE organisation RENAME COLUMN public_id TO id;
  ALTER TABLE ticket RENAME COLUMN id TO ordinal;
  ALTER TABLE ticket RENAME COLUMN public_id TO id;

  CREATE TABLE event_by_id (
    ordinal INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    organisation_id TEXT NOT NULL REFERENCES organisation (id),
    name TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (organisation_id, name)
  ) STRICT;
  INSERT INTO event_by_id SELECT e.id, e.public_id, o.id, e.name, e.created_at
    FROM event e JOIN organisation o ON o.ordinal = e.organisation;

  CREATE TABLE api_key_by_id (
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
    deleted_at INTEGER
  ) STRICT;
  INSERT INTO api_key_by_id SELECT k.id, k.public_id, o.id, k.hash, k.name, k.type, k.all_events, k.active, k.relay,
      k.open_seconds, k.created_at, k.deleted_at
    FROM api_key k JOIN organisation o ON o.ordinal = k.organisation;

  CREATE TABLE api_key_event_by_id (
    key_id TEXT NOT NULL REFERENCES api_key_by_id (id),
    event_id TEXT NOT NULL REFERENCES event_by_id (id),
    PRIMARY KEY (key_id, event_id)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO api_key_event_by_id SELECT k.public_id, e.public_id
    FROM api_key_event s JOIN api_key k ON k.id = s.api_key JOIN event e ON e.id = s.event;

  DROP TABLE api_key_event;
  DROP TABLE api_key;
  DROP TABLE event;
  ALTER TABLE event_by_id RENAME TO event;
  ALTER TABLE api_key_by_id RENAME TO api_key;
  ALTER TABLE api_key_event_by_id RENAME TO api_key_event;

  CREATE VIEW ticket_record AS
    SELECT t.ordinal, t.id, t.type, t.uses_allowed, t.first_name, t.last_name, t.valid_from, t.valid_until,
      t.cancelled_at, t.created_at, u.uses_consumed, u.last_consumed_at, coalesce(i.uses_consumed, 0) AS uses_unlogged
    FROM ticket t JOIN ticket_now u ON u.ticket = t.ordinal LEFT JOIN ticket_import i ON i.ticket = t.ordinal;

  CREATE VIEW log_record AS
    SELECT l.sequence, l.at, l.api_key, k.id AS key_id, l.serial, l.reader, l.action, l.status, l.reason,
      l.ticket, l.ticket_text, coalesce(t.id, l.ticket_text) AS ticket_id, l.excerpt, l.uses_consumed, l.replayed
    FROM scan_log l LEFT JOIN api_key k ON k.ordinal = l.api_key LEFT JOIN ticket t ON t.ordinal = l.ticket;
  `,
  [
    `
  DROP VIEW ticket_record;
  DROP VIEW log_record;
  `,
    // The run of mint, import or create that a ticket came with.
    `
  ALTER TABLE ticket ADD COLUMN batch TEXT;
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
    // How many scans there were, for the statistics; a text is empty where a scan has none. \`pruned\` of them are no longer in the log.
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
  INSERT INTO scan_count
    SELECT (l.at - (l.at % 900000 + 900000) % 900000) / 900000, l.api_key,
      CASE WHEN l.ticket_id GLOB 'tkt_*_*' THEN substr(l.ticket_id, 5, instr(substr(l.ticket_id, 5), '_') - 1) ELSE '' END,
      CASE WHEN l.uses_consumed IS NULL OR l.type IS NULL THEN '' WHEN l.type = 'multi' AND l.uses_allowed = 9999 THEN 'permanent' ELSE l.type END,
      CASE WHEN length(l.serial) <= 100 THEN l.serial ELSE '' END, l.action, coalesce(l.reason, l.status), '', count(*), 0
    FROM (
      SELECT s.*, coalesce(t.id, s.ticket_text) AS ticket_id, t.type, t.uses_allowed
      FROM scan_log s LEFT JOIN ticket t ON t.ordinal = s.ticket WHERE s.replayed = 0
    ) l GROUP BY 1, 2, 3, 4, 5, 6, 7;
  `,
    // What searches compare, folded in JavaScript: SQLite folds ASCII only. `folded_name` is registered when a store is migrated.
    `
  ALTER TABLE ticket ADD COLUMN folded_name TEXT;
  UPDATE ticket SET folded_name = folded_name(first_name, last_name) WHERE first_name IS NOT NULL;
  `,
    `
  ALTER TABLE organisation ADD COLUMN time_zone TEXT;
  `,
    `
  ALTER TABLE event ADD COLUMN archived_at INTEGER;
  `,
    // Gates: which way readers point, until when the values of a key hold, when it was used, and who is inside.
    `
  ALTER TABLE api_key ADD COLUMN readers TEXT NOT NULL DEFAULT '';
  ALTER TABLE api_key ADD COLUMN on_exit TEXT NOT NULL DEFAULT 'consume';
  ALTER TABLE api_key ADD COLUMN expires_at INTEGER;
  ALTER TABLE api_key ADD COLUMN rotations INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE api_key ADD COLUMN previous_hash TEXT;
  ALTER TABLE api_key ADD COLUMN previous_until INTEGER;
  CREATE UNIQUE INDEX api_key_previous_hash ON api_key (previous_hash);
  ALTER TABLE api_key_usage ADD COLUMN last_used_at INTEGER;
  ALTER TABLE scan_log ADD COLUMN direction TEXT;
  ALTER TABLE scan_log ADD COLUMN done TEXT;

  CREATE TABLE event_occupancy (
    event_id TEXT NOT NULL,
    shard INTEGER NOT NULL DEFAULT 0,
    entered INTEGER NOT NULL,
    exited INTEGER NOT NULL,
    reset_at INTEGER,
    PRIMARY KEY (event_id, shard)
  ) STRICT, WITHOUT ROWID;
  `,
    `
  CREATE VIEW ticket_record AS
    SELECT t.ordinal, t.id, t.type, t.uses_allowed, t.first_name, t.last_name, t.valid_from, t.valid_until,
      t.cancelled_at, t.created_at,
      t.batch,
      t.folded_name,
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
  [
    // Device files: which one a key's devices are read with, and whether a device may give a use back.
    `
  ALTER TABLE api_key ADD COLUMN device TEXT NOT NULL DEFAULT '';
  ALTER TABLE api_key ADD COLUMN on_turn_back TEXT NOT NULL DEFAULT 'keep';
  `,
  ].join(''),
];
