import type { DatabaseSync } from 'node:sqlite';
import { TicketscanError } from '../../core/errors.ts';
import { copyTargetNotEmpty } from '../store-errors.ts';
import {
  type CopyNote,
  type RecordPage,
  SECTIONS,
  type Section,
  type StoreRecords,
} from '../transfer/records.ts';
import { change } from './change.ts';
import { insertKey } from './key-rows.ts';
import { insertEvent, insertOrganisation } from './organisation-rows.ts';
import { countSection } from './store-info.ts';
import { insertTicket, prepareTicketInserts } from './ticket-table.ts';

/** Writes a page and the note in one transaction. @throws TicketscanError `conflict` as `Store.importRecords` does */
export function importRecords(database: DatabaseSync, page: RecordPage, note: CopyNote): void {
  change(database, null, () => {
    refuseOtherContent(database, note);
    write(database, page);
    database
      .prepare('INSERT OR REPLACE INTO unfinished_copy VALUES (1, ?)')
      .run(JSON.stringify(note));
  });
}

export function unfinishedCopy(database: DatabaseSync): CopyNote | undefined {
  const row = database.prepare('SELECT note FROM unfinished_copy').get();
  return row ? (JSON.parse(row['note'] as string) as CopyNote) : undefined;
}

export function endImport(database: DatabaseSync): void {
  change(database, null, () => database.exec('DELETE FROM unfinished_copy'));
}

function refuseOtherContent(database: DatabaseSync, { source }: CopyNote): void {
  const begun = unfinishedCopy(database);
  if (begun) {
    if (begun.source !== source) throw copyTargetNotEmpty();
    return;
  }
  if (SECTIONS.some((section) => countSection(database, section) > 0)) throw copyTargetNotEmpty();
}

function write(database: DatabaseSync, page: RecordPage): void {
  const writer = WRITERS[page.section] as Writer<Section>;
  writer(database, page.records as readonly StoreRecords[Section][]);
}

type Writer<Name extends Section> = (
  database: DatabaseSync,
  records: readonly StoreRecords[Name][],
) => void;

const WRITERS: { readonly [Name in Section]: Writer<Name> } = {
  organisations(database, records) {
    for (const organisation of records) insertOrganisation(database, organisation);
  },

  events(database, records) {
    const organisationRow = rowFinder(database, 'organisation');
    for (const event of records) {
      insertEvent(database, event, organisationRow(event.organisationId));
    }
  },

  keys(database, records) {
    const organisationRow = rowFinder(database, 'organisation');
    for (const { record: key, hash, deletedAt } of records) {
      insertKey(database, key, hash, organisationRow(key.organisationId), deletedAt);
    }
  },

  tickets(database, records) {
    const inserts = prepareTicketInserts(database);
    for (const record of records) insertTicket(inserts, record, record.usesUnlogged);
  },

  log(database, records) {
    const keyRow = rowFinder(database, 'api_key');
    const ticketRow = database.prepare('SELECT id FROM ticket WHERE public_id = ?');
    const insert = database.prepare(
      'INSERT INTO scan_log VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    );
    for (const entry of records) {
      const { sequence, at, keyId, serial, reader, action, status, reason, ticketId } = entry;
      const ticket = ticketId === null ? undefined : ticketRow.get(ticketId);
      insert.run(
        sequence,
        at,
        keyRow(keyId),
        serial,
        reader,
        action,
        status,
        reason,
        (ticket?.['id'] as number | undefined) ?? null,
        ticket ? null : ticketId,
        entry.excerpt,
        entry.usesConsumed,
        entry.replayed ? 1 : 0,
      );
    }
    // The counters came with the tickets.
    database.exec('UPDATE state SET folded = (SELECT coalesce(max(sequence), 0) FROM scan_log)');
  },

  requests(database, records) {
    const keyRow = rowFinder(database, 'api_key');
    const insert = database.prepare('INSERT INTO api_key_usage VALUES (?, ?, ?)');
    for (const { keyId, month, requests } of records) insert.run(keyRow(keyId), month, requests);
  },

  answers(database, records) {
    const keyRow = rowFinder(database, 'api_key');
    const insert = database.prepare('INSERT INTO stored_answer VALUES (?, ?, ?, ?, ?)');
    for (const { keyId, name, bodyHash, decision, expiresAt } of records) {
      insert.run(keyRow(keyId), name, bodyHash, JSON.stringify(decision), expiresAt);
    }
  },

  devices(database, records) {
    const keyRow = rowFinder(database, 'api_key');
    const insert = database.prepare('INSERT INTO device VALUES (?, ?, ?, ?, ?, ?, ?)');
    for (const { keyId, serial, model, address, firmware, lastContactAt, clock } of records) {
      insert.run(keyRow(keyId), serial, model, address, firmware, lastContactAt, clock);
    }
  },

  documents(database, records) {
    const insert = database.prepare('INSERT INTO document VALUES (?, ?, ?, ?)');
    for (const { kind, id, revision, value } of records) {
      insert.run(kind, id, revision, JSON.stringify(value));
    }
  },

  trail(database, records) {
    const insert = database.prepare('INSERT INTO trail VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
    for (const { sequence, at, organisationId, accountId, by, act, subject, details } of records) {
      const text = JSON.stringify(details);
      insert.run(sequence, at, organisationId, accountId, by, act, subject, text);
    }
  },
};

/** Finds rows by their public ids, each once. @throws TicketscanError `store_damaged` when a record names one that never came */
function rowFinder(
  database: DatabaseSync,
  table: 'organisation' | 'api_key',
): (publicId: string) => number {
  const find = database.prepare(`SELECT id FROM ${table} WHERE public_id = ?`);
  const rows = new Map<string, number>();
  return (publicId) => {
    const known = rows.get(publicId);
    if (known !== undefined) return known;
    const row = find.get(publicId)?.['id'] as number | undefined;
    if (row === undefined) {
      throw new TicketscanError(
        'store_damaged',
        `The source is damaged: it names ${publicId}, which it does not hold. Nothing of this page was copied.`,
      );
    }
    rows.set(publicId, row);
    return row;
  };
}
