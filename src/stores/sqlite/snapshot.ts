import { DatabaseSync } from 'node:sqlite';
import type { StoredAnswer } from '../../core/scan-batch.ts';
import type { NamedAnswer, RecordPage, Section, StoreRecords } from '../transfer/records.ts';
import { KEY_COLUMNS, keyFrom } from './key-rows.ts';
import { DEVICE_COLUMNS, deviceFrom, LOG_SELECT, logEntryFrom } from './log-table.ts';
import {
  EVENT_SELECT,
  eventFrom,
  ORGANISATION_SELECT,
  organisationFrom,
} from './organisation-rows.ts';
import { TICKET_COLUMNS, type TicketRow, ticketFrom } from './ticket-rows.ts';
import { documentFrom, trailEntryFrom } from './trail-table.ts';

type Row = Record<string, unknown>;

/** How a section is listed: by a number that stays with its row, so that a page can begin behind any of them. */
interface Listing {
  /** A SELECT with a column `place`, without WHERE. */
  readonly select: string;
  readonly place: string;
  readonly record: (row: Row, database: DatabaseSync) => StoreRecords[Section];
}

const LISTINGS: Readonly<Record<Section, Listing>> = {
  organisations: {
    select: ORGANISATION_SELECT,
    place: 'o.id',
    record: organisationFrom,
  },
  events: { select: EVENT_SELECT, place: 'e.id', record: eventFrom },
  keys: {
    select: `SELECT ${KEY_COLUMNS}, k.hash, k.deleted_at FROM api_key k JOIN organisation o ON o.id = k.organisation`,
    place: 'k.id',
    record: (row, database) => ({
      record: keyFrom(database, row),
      hash: row['hash'] as string,
      deletedAt: row['deleted_at'] as number | null,
    }),
  },
  tickets: {
    select: `SELECT ${TICKET_COLUMNS}, coalesce(i.uses_consumed, 0) AS unlogged FROM ticket t
      JOIN ticket_now u ON u.ticket = t.id LEFT JOIN ticket_import i ON i.ticket = t.id`,
    place: 't.id',
    record: (row) => ({
      ...ticketFrom(row as unknown as TicketRow),
      usesUnlogged: row['unlogged'] as number,
    }),
  },
  log: { select: LOG_SELECT, place: 'l.sequence', record: logEntryFrom },
  requests: {
    // Its primary key has two columns; a key has few months, so that both fit into one number.
    select: `SELECT k.public_id AS key_id, q.month, q.requests FROM api_key_usage q JOIN api_key k ON k.id = q.api_key`,
    place: 'q.api_key * 1000000 + q.month',
    record: (row) => ({
      keyId: row['key_id'] as string,
      month: row['month'] as number,
      requests: row['requests'] as number,
    }),
  },
  answers: {
    select: `SELECT k.public_id AS key_id, a.name, a.body_hash, a.decision, a.expires_at FROM stored_answer a
      JOIN api_key k ON k.id = a.api_key`,
    place: 'a.rowid',
    record: answerFrom,
  },
  devices: {
    select: `SELECT ${DEVICE_COLUMNS} FROM (SELECT *, row_number() OVER (ORDER BY api_key, serial) AS number FROM device) d
      JOIN api_key k ON k.id = d.api_key`,
    place: 'd.number',
    record: deviceFrom,
  },
  documents: {
    select:
      'SELECT d.* FROM (SELECT *, row_number() OVER (ORDER BY kind, id) AS number FROM document) d',
    place: 'd.number',
    record: documentFrom,
  },
  trail: { select: 'SELECT t.* FROM trail t', place: 't.sequence', record: trailEntryFrom },
};

/** The state of a database at one moment, read over a connection of its own while others write. */
export class SqliteSnapshot {
  readonly #database: DatabaseSync;

  constructor(path: string, busyTimeoutMs: number) {
    this.#database = new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs });
    // A read transaction begins with its first read.
    this.#database.exec('BEGIN');
    this.#database.prepare('SELECT revision FROM state').get();
  }

  page(section: Section, after: string | null, limit: number): RecordPage {
    const { select, place, record } = LISTINGS[section];
    const sql = `${select.replace('SELECT ', `SELECT ${place} AS place, `)} WHERE ${place} > ? ORDER BY ${place} LIMIT ?`;
    const rows = this.#database.prepare(sql).all(after === null ? -1 : Number(after), limit);
    const records = rows.map((row) => record(row, this.#database));
    const last = rows.length < limit ? undefined : rows.at(-1);
    return { section, records, next: last ? String(last['place']) : null } as RecordPage;
  }

  close(): void {
    this.#database.close();
  }
}

function answerFrom(row: Row): NamedAnswer {
  return {
    keyId: row['key_id'] as string,
    name: row['name'] as string,
    bodyHash: row['body_hash'] as string,
    expiresAt: row['expires_at'] as number,
    decision: JSON.parse(row['decision'] as string) as StoredAnswer['decision'],
  };
}
