import { TicketscanError } from '../../core/errors.ts';
import { takenTicket } from '../record-rules.ts';
import type { RecordKind, RecordOf } from '../record-store.ts';
import { copyTargetNotEmpty } from '../store-errors.ts';
import { TICKET_ROW, type TicketRow, ticketFromRow } from '../ticket-row.ts';
import {
  type CopyCheckpoint,
  type NamedAnswer,
  type RecordPage,
  SECTIONS,
  type Section,
  type StoreRecords,
} from '../transfer/records.ts';
import { AUDIT_LOG, DOCUMENTS } from './administrative-records.ts';
import type { SqlConnection } from './connection.ts';
import { DEVICES, ENTRY_COLUMNS, insertUndoNote, type LogRow, logEntryFrom } from './log.ts';
import { insertRecord, missingId, tableOf } from './records.ts';
import { columnsOf, insert, recordFrom, rowsOf, type Table } from './rows.ts';
import { OCCUPANCY, readCounts, writeCounts } from './scan-counts.ts';
import { moveRevision, writeScope } from './write.ts';

const REQUESTS: Table<StoreRecords['requests']> = {
  table: 'api_key_usage',
  rows: (key) =>
    `SELECT ${key}, month, CAST(sum(requests) AS bigint) AS requests, max(last_used_at) AS last_used_at FROM api_key_usage GROUP BY 1, 2`,
  columns: {
    keyId: 'key',
    month: ['month', 'number'],
    requests: ['requests', 'number'],
    lastUsedAt: ['last_used_at', 'number'],
  },
};

export const ANSWERS: Table<NamedAnswer> = {
  table: 'stored_answer',
  // One without a decision is only a lock.
  rows: () => "SELECT * FROM stored_answer WHERE decision <> ''",
  columns: {
    keyId: 'key',
    name: ['name'],
    bodyHash: ['body_hash'],
    decision: ['decision', 'json'],
    expiresAt: ['expires_at', 'number'],
  },
};

/** The counters have a cursor of several values. */
type ListedSection = Exclude<Section, 'counts'>;

/** How a section is listed: by one value that stays with its row, so that a page can begin after any of them. */
interface Listing<Row, Item> {
  readonly columns: string;
  readonly from: (sql: SqlConnection) => string;
  /** A number, or a text that is compared by its bytes; unique. */
  readonly cursor: string;
  readonly isText?: boolean;
  readonly record: (row: Row, sql: SqlConnection) => Item;
  /** `record` copies only the members that it names, so that it may be given the cursor as well. */
  readonly isSelective?: true;
}

function listed<Item>(table: Table<Item>, cursor: string, isText = true): Listing<Item, Item> {
  return {
    columns: columnsOf(table),
    from: (sql) => rowsOf(sql, table),
    ...{ cursor, isText },
    record: (row, sql) => recordFrom(sql, table, row),
  };
}

function ofRecords<Kind extends RecordKind>(kind: Kind): Listing<unknown, RecordOf[Kind]> {
  const { columns, table, alias, record } = tableOf(kind);
  return { columns, from: () => `${table} ${alias}`, cursor: `${alias}.ordinal`, record };
}

const KEYS: Listing<Omit<StoreRecords['keys'], 'record'>, StoreRecords['keys']> = {
  ...ofRecords('key'),
  columns: `${tableOf('key').columns}, k.hash, k.previous_hash AS "previousHash", k.deleted_at AS "deletedAt"`,
  record: (row) => {
    const { hash, previousHash, deletedAt } = row;
    return { record: tableOf('key').record(row), hash, previousHash, deletedAt };
  },
};

const TICKETS: Listing<TicketRow & { readonly usesUnlogged: number }, StoreRecords['tickets']> = {
  columns: `${TICKET_ROW}, uses_unlogged AS "usesUnlogged"`,
  ...{ from: () => 'ticket_record', cursor: 'ordinal', isSelective: true },
  record: (row) => ({ ...ticketFromRow(row), usesUnlogged: row.usesUnlogged }),
};

const LOG: Listing<LogRow, StoreRecords['log']> = {
  ...{ columns: ENTRY_COLUMNS, from: () => 'log_record', cursor: 'sequence', isSelective: true },
  record: (row, sql) => logEntryFrom(sql, row),
};

const LISTINGS = {
  organisations: ofRecords('organisation'),
  events: ofRecords('event'),
  ...{ keys: KEYS, tickets: TICKETS, log: LOG },
  requests: listed(REQUESTS, "(k.id || ' ' || r.month)"),
  answers: listed(ANSWERS, "(k.id || ' ' || r.name)"),
  devices: listed(DEVICES, "(k.id || ' ' || r.serial)"),
  occupancy: listed(OCCUPANCY, 'r.event_id'),
  documents: listed(DOCUMENTS, "(r.kind || ' ' || r.id)"),
  trail: listed(AUDIT_LOG, 'r.sequence', false),
} satisfies { readonly [Name in ListedSection]: Listing<never, StoreRecords[Name]> };

/**
 * Reads up to `limit` records of a section. Several pages belong together only in one read transaction.
 * @param after null, or the `next` of a page
 */
export async function readPage(
  sql: SqlConnection,
  section: Section,
  after: string | null,
  limit: number,
): Promise<RecordPage> {
  if (section === 'counts') return readCounts(sql, after, limit);
  const listing = LISTINGS[section] as Listing<object, StoreRecords[ListedSection]>;
  const { columns, from, cursor, isText, isSelective, record } = listing;
  const ordered = isText ? sql.bytewise(cursor) : cursor;
  const rows = await sql.rows<{ readonly cursor: string | number }>(
    `SELECT ${ordered} AS "cursor", ${columns} FROM ${from(sql)} WHERE ${ordered} > $1 ORDER BY 1 LIMIT $2`,
    [isText ? (after ?? '') : Number(after ?? -1), limit],
  );
  const last = rows.length < limit ? undefined : rows.at(-1);
  return {
    section,
    records: rows.map((row) => record(isSelective ? row : withoutCursor(row), sql)),
    next: last ? String(last.cursor) : null,
  } as RecordPage;
}

function withoutCursor({ cursor: _, ...row }: { readonly cursor: unknown }): object {
  return row;
}

/** @returns how many records each section has */
export async function countSections(sql: SqlConnection): Promise<Record<Section, number>> {
  const counts: [Section, number][] = [];
  for (const section of SECTIONS) counts.push([section, await countSection(sql, section)]);
  return Object.fromEntries(counts) as Record<Section, number>;
}

async function countSection(sql: SqlConnection, section: Section): Promise<number> {
  const [counted] = await sql.rows<{ records: number }>(
    `SELECT count(*) AS records FROM ${ROWS[section].replace('KEY', sql.key.column)}`,
  );
  return counted?.records ?? 0;
}

/** What a section's records are counted in. Requests of a month may lie in several rows. */
const ROWS: Readonly<Record<Section, string>> = {
  organisations: 'organisation',
  events: 'event',
  keys: 'api_key',
  tickets: 'ticket',
  log: 'scan_log',
  requests: '(SELECT DISTINCT KEY, month FROM api_key_usage) u',
  answers: "stored_answer WHERE decision <> ''",
  devices: 'device',
  occupancy: '(SELECT DISTINCT event_id FROM event_occupancy) o',
  documents: 'document',
  trail: 'trail',
  counts:
    '(SELECT DISTINCT quarter, KEY, event_id, kind, serial, action, outcome, direction FROM scan_count) u',
};

export async function unfinishedCopy(sql: SqlConnection): Promise<CopyCheckpoint | undefined> {
  const [row] = await sql.rows<{ note: string }>('SELECT note FROM unfinished_copy');
  return row && (JSON.parse(row.note) as CopyCheckpoint);
}

/** An earlier run may still be at it in the database when the next one begins. */
function refuseTwice(sql: SqlConnection, error: unknown): never {
  if (!sql.isUniqueViolation(error)) throw error;
  const message =
    'Another process writes, or just wrote, to the same copy. Nothing of this page was copied; try again.';
  throw new TicketscanError('conflict', message, { cause: error });
}

async function refuseOtherContent(sql: SqlConnection, { source }: CopyCheckpoint): Promise<void> {
  const begun = await unfinishedCopy(sql);
  if (begun) {
    if (begun.source !== source) throw copyTargetNotEmpty();
    return;
  }
  const counts = Object.values(await countSections(sql));
  if (counts.some((count) => count > 0)) throw copyTargetNotEmpty();
}

type Writer<Name extends Section> = (
  sql: SqlConnection,
  records: readonly StoreRecords[Name][],
) => Promise<void>;

const WRITERS: { readonly [Name in Section]: Writer<Name> } = {
  async organisations(sql, records) {
    for (const one of records) await insertRecord(sql, 'organisation', one);
  },

  async events(sql, records) {
    for (const one of records) await insertRecord(sql, 'event', one);
  },

  async keys(sql, records) {
    for (const { record, hash, previousHash, deletedAt } of records) {
      const more = { hash, previous_hash: previousHash, deleted_at: deletedAt };
      await insertRecord(sql, 'key', record, more);
      await writeScope(sql, record);
    }
  },

  async tickets(sql, records) {
    const inserted = await sql.insertTickets(records);
    if (inserted.length < records.length) throw takenTicket(records, inserted);
  },

  async log(sql, records) {
    await refuseUnknownKeys(sql, records);
    await sql.insertLog(records);
    for (const { sequence, undo } of records) {
      if (undo) await insertUndoNote(sql, sequence, undo);
    }
  },

  requests: (sql, records) => insertAll(sql, REQUESTS, records),
  answers: (sql, records) => insertAll(sql, ANSWERS, records),
  devices: (sql, records) => insertAll(sql, DEVICES, records),
  occupancy: (sql, records) => insertAll(sql, OCCUPANCY, records),
  documents: (sql, records) => insertAll(sql, DOCUMENTS, records),

  async trail(sql, records) {
    await insertAll(sql, AUDIT_LOG, records);
    if (records.length > 0) await sql.continueAuditLog();
  },

  async counts(sql, records) {
    await refuseUnknownKeys(sql, records);
    await writeCounts(sql, records);
  },
};

async function insertAll<Item extends object>(
  sql: SqlConnection,
  table: Table<Item>,
  records: readonly Item[],
): Promise<void> {
  await refuseUnknownKeys(sql, records);
  for (const one of records) await insert(sql, table, one);
}

/** @throws TicketscanError `store_damaged` when a record names a key that never came */
async function refuseUnknownKeys(sql: SqlConnection, records: readonly object[]): Promise<void> {
  const ids = (records as { keyId?: string }[]).flatMap(({ keyId }) => keyId ?? []);
  const unknown = await missingId(sql, 'api_key', ids);
  if (unknown === undefined) return;
  throw new TicketscanError(
    'store_damaged',
    `The source is damaged: it refers to ${unknown}, which it does not contain. Nothing of this page was copied.`,
  );
}

/** Writes a page and the note in one transaction. @throws TicketscanError `conflict` as `Store.importRecords` does */
export async function importRecords(
  sql: SqlConnection,
  page: RecordPage,
  checkpoint: CopyCheckpoint,
): Promise<void> {
  await sql.inTransaction(async () => {
    await moveRevision(sql);
    await refuseOtherContent(sql, checkpoint);
    const write = WRITERS[page.section] as Writer<Section>;
    await write(sql, page.records).catch((error) => refuseTwice(sql, error));
    await sql.run(
      'INSERT INTO unfinished_copy VALUES (1, $1) ON CONFLICT (only_row) DO UPDATE SET note = excluded.note',
      [JSON.stringify(checkpoint)],
    );
  });
}

export async function endImport(sql: SqlConnection): Promise<void> {
  await sql.inTransaction(async () => {
    await moveRevision(sql);
    await sql.run('DELETE FROM unfinished_copy');
  });
}
