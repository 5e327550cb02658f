import { TicketscanError } from '../../core/errors.ts';
import type { LogEntry } from '../../core/records.ts';
import { takenTicket } from '../record-rules.ts';
import { copyTargetNotEmpty } from '../store-errors.ts';
import { STORED_TICKETS } from '../ticket-row.ts';
import {
  type CopyCheckpoint,
  type RecordPage,
  SECTIONS,
  type Section,
  type StoreRecords,
} from '../transfer/records.ts';
import type { SqlConnection } from './connection.ts';
import { insertUndoNote } from './log.ts';
import { insertKey, missingId } from './records.ts';
import { columnsOf, insert, recordFrom, rowsOf, type Table } from './rows.ts';
import { readCounts, writeCounts } from './scan-counts.ts';
import { forgetSite } from './sites.ts';
import {
  ADMINISTRATIVE_RECORDS,
  ANSWERS,
  AUDIT_LOG,
  DEVICES,
  ERASED_REFERENCES,
  EVENTS,
  LOG,
  OCCUPANCY,
  ORGANISATIONS,
  REQUESTS,
  STORED_KEYS,
} from './tables.ts';
import { moveRevision, writeScope } from './write.ts';

/** The functions that read and write a section in the tables of a database. */
interface SectionTables<Item> {
  /** A FROM clause with as many rows as there are records, for a count. */
  readonly rows: (sql: SqlConnection) => string;
  readonly page: (sql: SqlConnection, after: string | null, limit: number) => Promise<Page<Item>>;
  readonly write: (sql: SqlConnection, records: readonly Item[]) => Promise<void>;
}

type Page<Item> = { readonly records: readonly Item[]; readonly next: string | null };

/** The order in which a section is listed: by a value that a row keeps, so that a page can begin after any row. */
interface Listing {
  /** The rows, as r; by default those of the table. */
  readonly from?: string;
  /** Rows that can be counted faster than `from`. */
  readonly rows?: string;
  /** A unique number, or a unique text that is compared by its bytes. */
  readonly cursor: string;
  readonly isText?: boolean;
}

type WithCursor = { readonly cursor: string | number };

function listed<Item>(
  table: Table<Item>,
  { from, rows: counted, cursor, isText }: Listing,
  write: SectionTables<Item>['write'],
): SectionTables<Item> {
  const rowsIn = (sql: SqlConnection) => from ?? rowsOf(sql, table);
  return {
    rows: (sql) => counted ?? rowsIn(sql),
    async page(sql, after, limit) {
      const ordered = isText ? sql.bytewise(cursor) : cursor;
      const rows = await sql.rows<WithCursor>(
        `SELECT ${ordered} AS "cursor", ${columnsOf(table.columns)} FROM ${rowsIn(sql)} WHERE ${ordered} > $1 ORDER BY 1 LIMIT $2`,
        [isText ? (after ?? '') : Number(after ?? -1), limit],
      );
      const last = rows.length < limit ? undefined : rows.at(-1);
      const records = rows.map((row) => recordFrom(sql, table.columns, row));
      return { records, next: last ? String(last.cursor) : null };
    },
    write,
  };
}

/** A section whose records are written one by one, unchanged. */
function ofTable<Item extends object>(table: Table<Item>, cursor: string, isText = true) {
  return listed(table, { cursor, isText }, async (sql, records) => {
    await refuseUnknownKeys(sql, records);
    for (const one of records) await insert(sql, table, one);
  });
}

/** The columns of an entry itself, without what later entries say about it. */
const { undoneBy: _, ...ENTRY_COLUMNS } = LOG.columns;
const ENTRIES = { table: LOG.table, columns: ENTRY_COLUMNS } as Table<LogEntry>;

const AUDIT_ENTRIES = ofTable(AUDIT_LOG, 'r.sequence', false);

const TABLES: { readonly [Name in Section]: SectionTables<StoreRecords[Name]> } = {
  organisations: ofTable(ORGANISATIONS, 'r.ordinal', false),
  events: ofTable(EVENTS, 'r.ordinal', false),
  keys: listed(STORED_KEYS, { cursor: 'r.ordinal' }, async (sql, records) => {
    for (const key of records) {
      await insertKey(sql, key);
      await writeScope(sql, key.record);
    }
  }),
  tickets: listed(
    STORED_TICKETS,
    { from: 'ticket_record r', rows: 'ticket', cursor: 'r.ordinal' },
    async (sql, records) => {
      const inserted = await sql.insertTickets(records);
      if (inserted.length < records.length) throw takenTicket(records, inserted);
    },
  ),
  erasedReferences: ofTable(ERASED_REFERENCES, "(r.organisation_id || ' ' || r.digest)"),
  log: listed(
    ENTRIES,
    { from: 'log_record r', rows: 'scan_log', cursor: 'r.sequence' },
    async (sql, records) => {
      await refuseUnknownKeys(sql, records);
      await sql.insertLog(records);
      for (const { sequence, undo } of records) {
        if (undo) await insertUndoNote(sql, sequence, undo);
      }
    },
  ),
  requests: ofTable(REQUESTS, "(k.id || ' ' || r.month)"),
  answers: ofTable(ANSWERS, "(k.id || ' ' || r.name)"),
  devices: ofTable(DEVICES, "(k.id || ' ' || r.serial)"),
  occupancy: ofTable(OCCUPANCY, 'r.event_id'),
  administrative: ofTable(ADMINISTRATIVE_RECORDS, "(r.kind || ' ' || r.id)"),
  auditLog: {
    ...AUDIT_ENTRIES,
    async write(sql, records) {
      await AUDIT_ENTRIES.write(sql, records);
      if (records.length > 0) await sql.continueAuditLog();
    },
  },
  counts: {
    rows: ({ key: { column } }) =>
      `(SELECT DISTINCT quarter, ${column}, event_id, kind, serial, operation, outcome, direction FROM scan_count) u`,
    page: readCounts,
    async write(sql, records) {
      await refuseUnknownKeys(sql, records);
      await writeCounts(sql, records);
    },
  },
};

/**
 * Reads up to `limit` records of a section. Pages show one state only if one transaction reads them.
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

/** Refuses a second run of a copy: an earlier one may still write to the database. */
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

/** @throws TicketscanError `store_damaged` if a record refers to a key that was not imported */
async function refuseUnknownKeys(sql: SqlConnection, records: readonly object[]): Promise<void> {
  const ids = (records as { keyId?: string }[]).flatMap(({ keyId }) => keyId ?? []);
  const unknown = await missingId(sql, 'api_key', ids);
  if (unknown === undefined) return;
  throw new TicketscanError(
    'store_damaged',
    `The source is damaged: it refers to ${unknown}, which it does not contain. Nothing of this page was copied.`,
  );
}

/** Writes a page and the checkpoint in one transaction. @throws TicketscanError `conflict` for the reasons of `Store.importRecords` */
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
    await forgetSite(sql);
    await sql.run('DELETE FROM unfinished_copy');
  });
}
