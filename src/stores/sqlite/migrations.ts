import { type OwnTables, tablesWith } from '../sql/tables.ts';
import { WRITTEN_COLUMNS } from '../ticket-row.ts';

/** Marks a SQLite file as a store of ticketscan (`PRAGMA application_id`): "tscn". */
export const APPLICATION_ID = 0x7473636e;

// `ticket_import` has the uses of a ticket that the log does not hold: it came with them from another store, or they were pruned.
const LOG = `
  CREATE TABLE ticket_use (
    ticket INTEGER PRIMARY KEY,
    uses_consumed INTEGER NOT NULL,
    last_consumed_at INTEGER
  ) STRICT;

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
  ) STRICT;`;

/** How far a copy from another store has come; no row in a store that is whole. */
const COPY = `
  CREATE TABLE unfinished_copy (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    note TEXT NOT NULL
  ) STRICT;`;

const IDENTIFIED = 'ordinal INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE';

/** What every scan writes names keys and tickets by the number of their row. */
const OWN: OwnTables = {
  identified: IDENTIFIED,
  ordered: IDENTIFIED,
  key: 'api_key',
  keyColumn: 'api_key INTEGER NOT NULL',
  shard: '',
  shardColumn: '',
  uses: '',
  unique: 'UNIQUE',
  sequence: 'sequence INTEGER PRIMARY KEY AUTOINCREMENT',
  inOrder: ' STRICT, WITHOUT ROWID',
  counters: ' STRICT, WITHOUT ROWID',
  changing: '',
  buckets: '',
  log: LOG,
  copy: COPY,
};

/** In the words of SQLite. */
function tables(): string {
  return tablesWith(OWN)
    .replaceAll(/\b(?:bigint|integer|boolean)\b/g, 'INTEGER')
    .replaceAll(/\bdouble precision\b/g, 'REAL')
    .replaceAll(/\btext\b/g, 'TEXT')
    .replaceAll(' COLLATE "C"', '')
    .replaceAll(/REFERENCES \w+/g, '$& (id)')
    .replaceAll(/(CREATE TABLE [^;]*\));/g, '$1 STRICT;');
}

/**
 * Of a `json:` store: the document as it was written last (`now`), as it is about to be (`next`), and as it was before a restore
 * (`replaced`). Nothing in every other store.
 */
const DOCUMENT_TEXTS = `
  CREATE TABLE document_text (
    place TEXT PRIMARY KEY CHECK (place IN ('now', 'next', 'replaced')),
    deflated BLOB NOT NULL
  ) STRICT;`;

/**
 * Each entry takes the database from the format before it to its own. The first one is the baseline. Before the first release
 * the baseline itself is changed; entries that were released never are.
 *
 * The log is the truth about uses. `ticket_use` sums it up to the entry that `state.folded` names; later uses are in the
 * log alone until they are flushed, many at once (ADR 0007). `ticket_now` is the view that includes them.
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

  ${tables()}
  ${DOCUMENT_TEXTS}

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
];
