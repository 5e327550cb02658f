import { namesOf } from '../sql/rows.ts';
import { type TableWords, tablesWith } from '../sql/schema.ts';
import { LOG } from '../sql/tables.ts';
import { TICKETS } from '../ticket-row.ts';

/** Marks a SQLite file as a store of ticketscan (`PRAGMA application_id`): "tscn". */
export const APPLICATION_ID = 0x7473636e;

// `ticket_import` has the uses of a ticket that the log does not hold: another store had them, or they were pruned.
const COUNTERS = `
  CREATE TABLE ticket_use (
    ticket INTEGER PRIMARY KEY,
    uses_consumed INTEGER NOT NULL,
    last_consumed_at INTEGER
  ) STRICT;

  CREATE TABLE ticket_import (
    ticket INTEGER PRIMARY KEY,
    uses_consumed INTEGER NOT NULL
  ) STRICT;`;

const IDENTIFIED = 'ordinal INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE';

/** The SQL of this engine. Rows that every scan writes refer to keys and tickets by the number of their row. */
const WORDS: TableWords = {
  types: {
    id: 'TEXT',
    text: 'TEXT',
    integer: 'INTEGER',
    bigint: 'INTEGER',
    boolean: 'INTEGER',
    'double precision': 'REAL',
  },
  own: {
    identified: IDENTIFIED,
    ordered: IDENTIFIED,
    sequence: 'sequence INTEGER PRIMARY KEY AUTOINCREMENT',
    logSequence: 'sequence INTEGER PRIMARY KEY',
    key: 'api_key INTEGER NOT NULL',
    loggedTicket: 'ticket INTEGER, ticket_text TEXT',
  },
  key: 'api_key',
  shard: '',
  unique: 'UNIQUE',
  more: {},
  ends: {
    plain: ' STRICT',
    inOrder: ' STRICT, WITHOUT ROWID',
    counters: ' STRICT, WITHOUT ROWID',
    changing: ' STRICT',
    log: ' STRICT',
  },
  tables: COUNTERS,
};

/**
 * The texts of the document of a `json:` store: as it was last written (`now`), as it will be written next (`next`), and as it was before
 * a restore (`replaced`). A person may begin an edit with any earlier text, so `document_writing` has the number of each text, and
 * `document_change` has each row that a text changed: digests of its line before, with and without personal texts. Both digests are missing
 * if there was no such row; that of the whole line is missing if its personal texts were erased. The tables are empty in every other store.
 */
const DOCUMENTS = `
  CREATE TABLE document_text (
    place TEXT PRIMARY KEY CHECK (place IN ('now', 'next', 'replaced')),
    deflated BLOB NOT NULL
  ) STRICT;

  CREATE TABLE document_writing (written INTEGER PRIMARY KEY) STRICT;

  CREATE TABLE document_change (
    written INTEGER NOT NULL,
    list TEXT NOT NULL,
    id TEXT NOT NULL,
    line BLOB,
    impersonal BLOB,
    PRIMARY KEY (list, id, written)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX document_change_written ON document_change (written);`;

/**
 * Each entry takes the database from the format before it to its own. The first one is the baseline. Before the first release
 * the baseline itself is changed; entries that were released never are.
 *
 * The log is the truth about uses. `ticket_use` sums it up to the entry that `state.flushed_to` names; later uses are in the
 * log alone until they are flushed, many at once (ADR 0007). `ticket_now` is the view that includes them.
 * The log has no foreign keys and no secondary index, because every scan pays for them.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE state (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    revision INTEGER NOT NULL,
    flushed_to INTEGER NOT NULL
  ) STRICT;
  INSERT INTO state VALUES (1, 1, 0);

  ${tablesWith(WORDS)}
  ${DOCUMENTS}

  CREATE VIEW ticket_now AS
    WITH later AS (
      SELECT ticket, max(uses_consumed) AS uses_consumed, max(at) AS at FROM scan_log
      WHERE sequence > (SELECT flushed_to FROM state) AND status = 'consumed' AND replayed = 0
      GROUP BY ticket
    )
    SELECT u.ticket, coalesce(l.uses_consumed, u.uses_consumed) AS uses_consumed,
      coalesce(l.at, u.last_consumed_at) AS last_consumed_at
    FROM ticket_use u LEFT JOIN later l ON l.ticket = u.ticket;

  CREATE VIEW ticket_record AS
    SELECT t.ordinal, ${namesOf(TICKETS, 't')},
      u.uses_consumed, u.last_consumed_at, coalesce(i.uses_consumed, 0) AS uses_unlogged
    FROM ticket t JOIN ticket_now u ON u.ticket = t.ordinal LEFT JOIN ticket_import i ON i.ticket = t.ordinal;

  CREATE VIEW log_record AS
    SELECT ${namesOf(LOG, 'l')}, l.api_key, k.id AS key_id,
      l.ticket, l.ticket_text, coalesce(t.id, l.ticket_text) AS ticket_id,
      d.undoes, d.by_name AS undo_by, d.reason AS undo_reason, b.sequence AS undone_by
    FROM scan_log l LEFT JOIN api_key k ON k.ordinal = l.api_key LEFT JOIN ticket t ON t.ordinal = l.ticket
      LEFT JOIN undone_use d ON d.sequence = l.sequence LEFT JOIN undone_use b ON b.undoes = l.sequence;
  `,
];
