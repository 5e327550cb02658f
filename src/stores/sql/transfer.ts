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

/** A section in the tables of a database. */
interface SectionTables<Item> {
  /** Rows as many as records, for a count. */
  readonly rows: (sql: SqlConnection) => string;
  readonly page: (sql: SqlConnection, after: string | null, limit: number) => Promise<Page<Item>>;
  readonly write: (sql: SqlConnection, records: readonly Item[]) => Promise<void>;
}

type Page<Item> = { readonly records: readonly Item[]; readonly next: string | null };

/** How a section is listed: by one value that stays with its row, so that a page can begin after any of them. */
interface Listing<Row, Item> {
  readonly columns: string;
  readonly from: (sql: SqlConnection) => string;
  /** Of which a count is faster than of `from`. */
  readonly rows?: string;
  /** A number, or a text that is compared by its bytes; unique. */
  readonly cursor: string;
  readonly isText?: boolean;
  readonly record: (row: Row, sql: SqlConnection) => Item;
  /** `record` copies only the members that it names, so that it may be given the cursor as well. */
  readonly isSelective?: true;
}

type WithCursor<Row> = Row & { readonly cursor: string | number };

function listed<Row, Item>(
  { columns, from, rows: counted, cursor, isText, record, isSelective }: Listing<Row, Item>,
  write: SectionTables<Item>['write'],
): SectionTables<Item> {
  return {
    rows: (sql) => counted ?? from(sql),
    async page(sql, after, limit) {
      const ordered = isText ? sql.bytewise(cursor) : cursor;
      const rows = await sql.rows<WithCursor<Row>>(
        `SELECT ${ordered} AS "cursor", ${columns} FROM ${from(sql)} WHERE ${ordered} > $1 ORDER BY 1 LIMIT $2`,
        [isText ? (after ?? '') : Number(after ?? -1), limit],
      );
      const last = rows.length < limit ? undefined : rows.at(-1);
      const records = rows.map((row) => record(isSelective ? row : withoutCursor(row), sql));
      return { records, next: last ? String(last.cursor) : null };
    },
    write,
  };
}

function withoutCursor<Row>({ cursor: _, ...row }: WithCursor<Row>): Row {
  return row as Row;
}

function ofTable<Item extends object>(table: Table<Item>, cursor: string, isText = true) {
  const listing = {
    columns: columnsOf(table),
    from: (sql: SqlConnection) => rowsOf(sql, table),
    ...{ cursor, isText },
    record: (row: Item, sql: SqlConnection) => recordFrom(sql, table, row),
  };
  return listed(listing, async (sql, records) => {
    await refuseUnknownKeys(sql, records);
    for (const one of records) await insert(sql, table, one);
  });
}

function ofRecords<Kind extends RecordKind>(kind: Kind): Listing<unknown, RecordOf[Kind]> {
  const { columns, table, alias, record } = tableOf(kind);
  return { columns, from: () => `${table} ${alias}`, cursor: `${alias}.ordinal`, record };
}

function insertAll<Kind extends RecordKind>(kind: Kind) {
  return async (sql: SqlConnection, records: readonly RecordOf[Kind][]) => {
    for (const one of records) await insertRecord(sql, kind, one);
  };
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
  ...{ from: () => 'ticket_record', rows: 'ticket', cursor: 'ordinal', isSelective: true },
  record: (row) => ({ ...ticketFromRow(row), usesUnlogged: row.usesUnlogged }),
};

const LOG: Listing<LogRow, StoreRecords['log']> = {
  ...{ columns: ENTRY_COLUMNS, from: () => 'log_record', rows: 'scan_log' },
  ...{ cursor: 'sequence', isSelective: true },
  record: (row, sql) => logEntryFrom(sql, row),
};

const AUDIT_ENTRIES = ofTable(AUDIT_LOG, 'r.sequence', false);

const TABLES: { readonly [Name in Section]: SectionTables<StoreRecords[Name]> } = {
  organisations: listed(ofRecords('organisation'), insertAll('organisation')),
  events: listed(ofRecords('event'), insertAll('event')),
  keys: listed(KEYS, async (sql, records) => {
    for (const { record, hash, previousHash, deletedAt } of records) {
      const more = { hash, previous_hash: previousHash, deleted_at: deletedAt };
      await insertRecord(sql, 'key', record, more);
      await writeScope(sql, record);
    }
  }),
  tickets: listed(TICKETS, async (sql, records) => {
    const inserted = await sql.insertTickets(records);
    if (inserted.length < records.length) throw takenTicket(records, inserted);
  }),
  log: listed(LOG, async (sql, records) => {
    await refuseUnknownKeys(sql, records);
    await sql.insertLog(records);
    for (const { sequence, undo } of records) {
      if (undo) await insertUndoNote(sql, sequence, undo);
    }
  }),
  requests: ofTable(REQUESTS, "(k.id || ' ' || r.month)"),
  answers: ofTable(ANSWERS, "(k.id || ' ' || r.name)"),
  devices: ofTable(DEVICES, "(k.id || ' ' || r.serial)"),
  occupancy: ofTable(OCCUPANCY, 'r.event_id'),
  documents: ofTable(DOCUMENTS, "(r.kind || ' ' || r.id)"),
  trail: {
    ...AUDIT_ENTRIES,
    async write(sql, records) {
      await AUDIT_ENTRIES.write(sql, records);
      if (records.length > 0) await sql.continueAuditLog();
    },
  },
  counts: {
    rows: ({ key: { column } }) =>
      `(SELECT DISTINCT quarter, ${column}, event_id, kind, serial, action, outcome, direction FROM scan_count) u`,
    page: readCounts,
    async write(sql, records) {
      await refuseUnknownKeys(sql, records);
      await writeCounts(sql, records);
    },
  },
};

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
  return { section, ...(await TABLES[section].page(sql, after, limit)) } as RecordPage;
}

/** @returns how many records each section has */
export async function countSections(sql: SqlConnection): Promise<Record<Section, number>> {
  const counts: Partial<Record<Section, number>> = {};
  for (const section of SECTIONS) {
    const rows = TABLES[section].rows(sql);
    const [counted] = await sql.rows<{ records: number }>(
      `SELECT count(*) AS records FROM ${rows}`,
    );
    counts[section] = counted?.records ?? 0;
  }
  return counts as Record<Section, number>;
}

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
    const { write } = TABLES[page.section] as SectionTables<StoreRecords[Section]>;
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
