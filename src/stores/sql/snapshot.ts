import type { DeviceRecord, EventRecord, Occupancy } from '../../core/records.ts';
import type { StoredAnswer } from '../../core/scan-batch.ts';
import { TICKET_ROW, type TicketRow, ticketFromRow } from '../ticket-row.ts';
import {
  type NamedAnswer,
  type RecordPage,
  SECTIONS,
  type Section,
  type StoreRecords,
} from '../transfer/records.ts';
import { AUDIT_COLUMNS, type AuditRow, auditEntryFrom } from './audit-log.ts';
import type { SqlConnection } from './connection.ts';
import { DOCUMENT_COLUMNS, type DocumentRow, documentFrom } from './documents.ts';
import {
  DEVICE_COLUMNS,
  deviceFrom,
  devicesWithKeys,
  ENTRY_COLUMNS,
  type LogRow,
  logEntryFrom,
} from './log.ts';
import {
  EVENT_COLUMNS,
  KEY_COLUMNS,
  type KeyRow,
  keyFrom,
  ORGANISATION_COLUMNS,
  type OrganisationRow,
  organisationFrom,
} from './records.ts';
import { OCCUPANCY, OCCUPANCY_COLUMNS, readCounts } from './scan-counts.ts';

/** The rows of each section, as its columns name them. */
interface Rows {
  organisations: OrganisationRow;
  events: EventRecord;
  keys: KeyRow & Omit<StoreRecords['keys'], 'record'>;
  tickets: TicketRow & { readonly usesUnlogged: number };
  log: LogRow;
  requests: StoreRecords['requests'];
  answers: Omit<NamedAnswer, 'decision'> & { readonly decision: string };
  devices: DeviceRecord;
  occupancy: Occupancy;
  documents: DocumentRow;
  trail: AuditRow;
}

/** The counters have no value of their own that stays with a row. */
type ListedSection = Exclude<Section, 'counts'>;

/** How a section is listed: by one value that stays with its row, so that a page can begin after any of them. */
interface Listing<Name extends ListedSection> {
  readonly columns: string;
  readonly from: string | ((key: SqlConnection['key']) => string);
  /** A number, or a text that is compared by its bytes; unique. */
  readonly cursor: string;
  readonly isText?: true;
  readonly record: (row: Rows[Name], connection: SqlConnection) => StoreRecords[Name];
  /** `record` copies only the members that it names, so that it may be given the cursor as well. */
  readonly isSelective?: true;
}

const LISTINGS: { readonly [Name in ListedSection]: Listing<Name> } = {
  organisations: {
    columns: ORGANISATION_COLUMNS,
    from: 'organisation o',
    cursor: 'o.ordinal',
    record: organisationFrom,
  },
  events: {
    columns: EVENT_COLUMNS,
    from: 'event e',
    cursor: 'e.ordinal',
    record: (row) => row,
  },
  keys: {
    columns: `${KEY_COLUMNS}, k.hash, k.previous_hash AS "previousHash", k.deleted_at AS "deletedAt"`,
    from: 'api_key k',
    cursor: 'k.ordinal',
    record: (row) => ({
      record: keyFrom(row),
      hash: row.hash,
      previousHash: row.previousHash,
      deletedAt: row.deletedAt,
    }),
  },
  tickets: {
    columns: `${TICKET_ROW}, uses_unlogged AS "usesUnlogged"`,
    from: 'ticket_record',
    cursor: 'ordinal',
    isSelective: true,
    record: (row) => ({ ...ticketFromRow(row), usesUnlogged: row.usesUnlogged }),
  },
  log: {
    columns: ENTRY_COLUMNS,
    from: 'log_record',
    cursor: 'sequence',
    isSelective: true,
    record: (row, connection) => logEntryFrom(connection, row),
  },
  requests: {
    columns: 'k.id AS "keyId", r.month, r.requests, r.last_used_at AS "lastUsedAt"',
    from: (key) =>
      ofKeys(
        key,
        `SELECT ${key.column}, month, CAST(sum(requests) AS bigint) AS requests, max(last_used_at) AS last_used_at FROM api_key_usage GROUP BY 1, 2`,
      ),
    cursor: "(k.id || ' ' || r.month)",
    isText: true,
    record: (row) => row,
  },
  answers: {
    columns:
      'k.id AS "keyId", r.name, r.body_hash AS "bodyHash", r.decision, r.expires_at AS "expiresAt"',
    // One without a decision is only a lock.
    from: (key) => ofKeys(key, "SELECT * FROM stored_answer WHERE decision <> ''"),
    cursor: "(k.id || ' ' || r.name)",
    isText: true,
    record: (row) => ({ ...row, decision: JSON.parse(row.decision) as StoredAnswer['decision'] }),
  },
  devices: {
    columns: DEVICE_COLUMNS,
    from: devicesWithKeys,
    cursor: "(k.id || ' ' || d.serial)",
    isText: true,
    record: (row, connection) => deviceFrom(connection, row),
  },
  occupancy: {
    columns: OCCUPANCY_COLUMNS,
    from: OCCUPANCY,
    cursor: 'o.event_id',
    isText: true,
    record: (row) => row,
  },
  documents: {
    columns: DOCUMENT_COLUMNS,
    from: 'document',
    cursor: "(kind || ' ' || id)",
    isText: true,
    record: documentFrom,
  },
  trail: { columns: AUDIT_COLUMNS, from: 'trail', cursor: 'sequence', record: auditEntryFrom },
};

/** The rows of a SELECT as r, with the keys that they name as k. */
function ofKeys({ column, target }: SqlConnection['key'], select: string): string {
  return `(${select}) r JOIN api_key k ON k.${target} = r.${column}`;
}

/**
 * Reads up to `limit` records of a section. Several pages belong together only in one read transaction.
 * @param after null, or the `next` of a page
 */
export async function readPage(
  connection: SqlConnection,
  section: Section,
  after: string | null,
  limit: number,
): Promise<RecordPage> {
  if (section === 'counts') return readCounts(connection, after, limit);
  const { columns, from, cursor, isText, isSelective, record } = LISTINGS[
    section
  ] as Listing<ListedSection>;
  const tables = typeof from === 'string' ? from : from(connection.key);
  const ordered = isText ? connection.bytewise(cursor) : cursor;
  const rows = await connection.rows<Rows[ListedSection] & { cursor: string | number }>(
    `SELECT ${ordered} AS "cursor", ${columns} FROM ${tables} WHERE ${ordered} > $1 ORDER BY 1 LIMIT $2`,
    [isText ? (after ?? '') : Number(after ?? -1), limit],
  );
  const last = rows.length < limit ? undefined : rows.at(-1);
  return {
    section,
    records: rows.map((row) => record(isSelective ? row : withoutCursor(row), connection)),
    next: last ? String(last.cursor) : null,
  } as RecordPage;
}

function withoutCursor({
  cursor: _,
  ...row
}: Rows[ListedSection] & { cursor: unknown }): Rows[ListedSection] {
  return row as Rows[ListedSection];
}

/** @returns how many records each section has */
export async function countSections(connection: SqlConnection): Promise<Record<Section, number>> {
  const counts: [Section, number][] = [];
  for (const section of SECTIONS) counts.push([section, await countSection(connection, section)]);
  return Object.fromEntries(counts) as Record<Section, number>;
}

async function countSection(connection: SqlConnection, section: Section): Promise<number> {
  const [counted] = await connection.rows<{ records: number }>(
    `SELECT count(*) AS records FROM ${ROWS[section].replace('KEY', connection.key.column)}`,
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
