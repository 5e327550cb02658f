import type { AdministrativeKind } from '../../core/administrative-records.ts';
import type { OrganisationLimits } from '../../core/limits.ts';
import type { ApiKeyRecord, ScannerRecord } from '../../core/records.ts';
import type { KeyState } from '../../core/scan-batch.ts';
import { isNamed, isScanner, keyOfScanner, scannerOfKey } from '../record-rules.ts';
import type {
  KeyLookup,
  KeyOfHash,
  KeyUse,
  RecordFilter,
  RecordKind,
  RecordOf,
  Stored,
} from '../record-store.ts';
import { lostPlace } from '../store-errors.ts';
import type { StoredKey } from '../transfer/records.ts';
import { listAdministrative, readAdministrative } from './administrative-records.ts';
import type { Columns, Texts } from './columns.ts';
import type { SqlConnection, SqlValue } from './connection.ts';
import { columnsOf, insert, recordFrom, select, type Table, update } from './rows.ts';
import { EVENTS, KEYS, LIMITS, ORGANISATIONS, STORED_KEYS } from './tables.ts';

/** A condition on the keys as r: the row is an account that scans. */
const IS_SCANNER = isScanner('r.id');

/** The functions that read and write the records of a kind. */
interface Records<Item> {
  readonly table: string;
  /** A condition: the row of the table is of this kind. */
  readonly which: string;
  /** @param rest the rest of the SELECT, with the rows as r */
  select(sql: SqlConnection, rest: string, values: readonly SqlValue[]): Promise<Item[]>;
  /** Inserts a record. @param hash the hash of a new key */
  insert(sql: SqlConnection, item: Item, hash: string | undefined): Promise<void>;
  /** Writes all of an existing record. */
  update(sql: SqlConnection, item: Item): Promise<void>;
}

function recordsIn<Item extends { readonly id: string }>(
  table: Table<Item>,
  which = 'TRUE',
): Records<Item> {
  return {
    table: table.table,
    which,
    select: (sql, rest, values) => select(sql, table, rest, values),
    async insert(sql, item) {
      await insert(sql, table, item);
    },
    async update(sql, item) {
      await update(sql, table, item);
    },
  };
}

const KEY_RECORDS: Records<ApiKeyRecord> = {
  ...recordsIn(KEYS, `r.deleted_at IS NULL AND NOT ${IS_SCANNER}`),
  insert: (sql, record, hash = '') =>
    insertKey(sql, { record, hash, previousHash: null, deletedAt: null }),
};

const SCANNER_RECORDS: Records<ScannerRecord> = {
  table: KEYS.table,
  which: IS_SCANNER,
  async select(sql, rest, values) {
    return (await select(sql, KEYS, rest, values)).map(scannerOfKey);
  },
  insert(sql, scanner) {
    const { key, hash } = keyOfScanner(scanner);
    return KEY_RECORDS.insert(sql, key, hash);
  },
  update: (sql, scanner) => KEY_RECORDS.update(sql, keyOfScanner(scanner).key),
};

const RECORDS: { readonly [Kind in RecordKind]: Records<RecordOf[Kind]> } = {
  organisation: recordsIn(ORGANISATIONS),
  event: recordsIn(EVENTS),
  key: KEY_RECORDS,
  scanner: SCANNER_RECORDS,
};

function recordsOf<Kind extends RecordKind>(kind: Kind): Records<RecordOf[Kind]> {
  return RECORDS[kind] as Records<RecordOf[RecordKind]> as Records<RecordOf[Kind]>;
}

function isRecordKind(kind: string): kind is RecordKind {
  return kind in RECORDS;
}

export async function read<Kind extends keyof Stored>(
  sql: SqlConnection,
  kind: Kind,
  id: string,
): Promise<Stored[Kind] | undefined> {
  const found = isRecordKind(kind)
    ? await readRecord(sql, kind, id)
    : await readAdministrative(sql, kind as AdministrativeKind, id);
  return found as Stored[Kind] | undefined;
}

export async function list<Kind extends keyof Stored>(
  sql: SqlConnection,
  kind: Kind,
  filter: RecordFilter = {},
): Promise<Stored[Kind][]> {
  const found = isRecordKind(kind)
    ? await listRecords(sql, kind, filter)
    : await listAdministrative(sql, kind as AdministrativeKind, filter.member);
  return found as Stored[Kind][];
}

async function listRecords<Kind extends RecordKind>(
  sql: SqlConnection,
  kind: Kind,
  filter: RecordFilter,
): Promise<RecordOf[Kind][]> {
  const { organisationId, afterId, withoutArchived, named, limit } = filter;
  const { table, which, select: selected } = recordsOf(kind);
  const values: SqlValue[] = [];
  const conditions = [which];
  if (organisationId !== undefined)
    conditions.push(`r.organisation_id = $${values.push(organisationId)}`);
  if (withoutArchived) conditions.push('r.archived_at IS NULL');
  if (afterId !== undefined)
    conditions.push(`r.ordinal > $${values.push(await ordinalOf(sql, table, afterId))}`);
  // No server folds as this program does, so names are compared here, and the limit is applied here.
  const isCutHere = named !== undefined;
  const cut = limit === undefined || isCutHere ? '' : ` LIMIT $${values.push(limit)}`;
  const rest = `WHERE ${conditions.join(' AND ')} ORDER BY r.ordinal${cut}`;
  const records = await selected(sql, rest, values);
  return isCutHere ? records.filter((one) => isNamed(one, named)).slice(0, limit) : records;
}

async function ordinalOf(sql: SqlConnection, table: string, id: string): Promise<number> {
  const [row] = await sql.rows<{ ordinal: number }>(`SELECT ordinal FROM ${table} WHERE id = $1`, [
    id,
  ]);
  if (!row) throw lostPlace(id);
  return row.ordinal;
}

export async function readRecord<Kind extends RecordKind>(
  sql: SqlConnection,
  kind: Kind,
  id: string,
): Promise<RecordOf[Kind] | undefined> {
  const { which, select: selected } = recordsOf(kind);
  const [record] = await selected(sql, `WHERE r.id = $1 AND ${which}`, [id]);
  return record;
}

/** Inserts a record; the caller holds a transaction. @param hash the hash of a new key */
export function insertRecord<Kind extends RecordKind>(
  sql: SqlConnection,
  kind: Kind,
  item: RecordOf[Kind],
  hash?: string,
): Promise<void> {
  return recordsOf(kind).insert(sql, item, hash);
}

/** Inserts a key with what the engine keeps for it; the caller holds a transaction. */
export async function insertKey(sql: SqlConnection, key: StoredKey): Promise<void> {
  await insert(sql, STORED_KEYS, key);
  await sql.addKeyState(key.record.id);
}

/** Writes all of an existing record; the caller holds a transaction. */
export function updateRecord<Kind extends RecordKind>(
  sql: SqlConnection,
  kind: Kind,
  item: RecordOf[Kind],
): Promise<void> {
  return recordsOf(kind).update(sql, item);
}

/**
 * Finds one of `ids` that `table` does not have; undefined if it has them all.
 * @param lock `forKeyShare` of the connection if the rows that are written next belong to them: a transaction that deletes one waits
 *   until the end of this one, and then sees the new rows
 */
export async function missingId(
  sql: SqlConnection,
  table: 'organisation' | 'event' | 'api_key',
  ids: Iterable<string>,
  lock = '',
): Promise<string | undefined> {
  const wanted = [...new Set(ids)];
  const rows = await sql.rows<{ id: string }>(
    `SELECT id FROM ${table} WHERE ${sql.anyOf('id', '$1')} ORDER BY id${lock}`,
    [wanted],
  );
  const known = new Set(rows.map(({ id }) => id));
  return wanted.find((id) => !known.has(id));
}

/** The data that decide about the requests of a key: all of its settings, and the limits of its organisation. */
interface KeyWithLimits {
  readonly key: ApiKeyRecord;
  readonly limits: OrganisationLimits;
}

const KEY_WITH_LIMITS: Columns<KeyWithLimits> = {
  key: { members: KEYS.columns },
  limits: { members: LIMITS },
};

/** The columns that `keyStateFrom` needs, for a SELECT from `api_key` as k and its organisation as o. */
export const KEY_STATE_COLUMNS = `${columnsOf(KEYS.columns, 'k', 'key.')}, ${columnsOf(LIMITS, 'o', 'limits.')}`;

/** The state of a key for a scan. @param row a row with `KEY_STATE_COLUMNS` */
export function keyStateFrom(texts: Texts, row: object): KeyState {
  const { key, limits } = recordFrom(texts, KEY_WITH_LIMITS, row);
  const { ratePerSecond, burst, quotaPerMonth } = limits;
  const events = key.events === 'all' ? 'all' : new Set(key.events);
  return { ...key, events, quotaPerMonth, rate: { ratePerSecond, burst } };
}

interface FoundKey {
  readonly hash: string;
  readonly revision: number;
  readonly timeZone: string | null;
}

export async function findKeyByHash(
  sql: SqlConnection,
  hash: string,
): Promise<KeyLookup | undefined> {
  const [row] = await sql.rows<FoundKey>(
    `SELECT ${KEY_STATE_COLUMNS}, o.time_zone AS "timeZone", (SELECT revision FROM state) AS revision, k.hash
     FROM api_key k JOIN organisation o ON o.id = k.organisation_id
     WHERE (k.hash = $1 OR k.previous_hash = $1) AND k.deleted_at IS NULL
       AND NOT ${isScanner('k.id')}`,
    [hash],
  );
  if (!row) return undefined;
  const isPrevious = row.hash !== hash;
  const { timeZone, revision } = row;
  const found = recordFrom(sql, KEY_WITH_LIMITS, row);
  return { ...found, ...(timeZone !== null && { timeZone }), revision, isPrevious };
}

const KEYS_OF_HASHES: Table<Omit<KeyOfHash, 'isDeleted'> & Pick<StoredKey, 'deletedAt'>> = {
  table: 'api_key',
  columns: {
    hash: STORED_KEYS.columns.hash,
    id: KEYS.columns.id,
    organisationId: KEYS.columns.organisationId,
    type: KEYS.columns.type,
    active: KEYS.columns.active,
    deletedAt: STORED_KEYS.columns.deletedAt,
  },
};

export async function findKeysByHash(
  sql: SqlConnection,
  hashes: readonly string[],
): Promise<KeyOfHash[]> {
  const found = await select(sql, KEYS_OF_HASHES, `WHERE ${sql.anyOf('r.hash', '$1')}`, [hashes]);
  return found.map(({ deletedAt, ...key }) => ({ ...key, isDeleted: deletedAt !== null }));
}

export async function requestsInMonth(
  sql: SqlConnection,
  keyId: string,
  month: number,
): Promise<number> {
  const { column, target } = sql.key;
  const [sum] = await sql.rows<{ requests: number }>(
    `SELECT CAST(coalesce(sum(requests), 0) AS bigint) AS requests FROM api_key_usage
     WHERE ${column} = (SELECT ${target} FROM api_key WHERE id = $1) AND month = $2`,
    [keyId, month],
  );
  return sum?.requests ?? 0;
}

export async function keyUses(
  sql: SqlConnection,
  keyIds: readonly string[],
  month: number,
): Promise<KeyUse[]> {
  const { column, target } = sql.key;
  return sql.rows<KeyUse>(
    `SELECT k.id AS "keyId", max(u.last_used_at) AS "lastUsedAt",
       CAST(coalesce(sum(CASE WHEN u.month = $2 THEN u.requests ELSE 0 END), 0) AS bigint) AS requests
     FROM api_key k LEFT JOIN api_key_usage u ON u.${column} = k.${target}
     WHERE ${sql.anyOf('k.id', '$1')} GROUP BY k.id`,
    [keyIds, month],
  );
}

export async function keyLastUsedAt(sql: SqlConnection, keyId: string): Promise<number | null> {
  const { column, target } = sql.key;
  const [last] = await sql.rows<{ at: number | null }>(
    `SELECT max(last_used_at) AS at FROM api_key_usage WHERE ${column} = (SELECT ${target} FROM api_key WHERE id = $1)`,
    [keyId],
  );
  return last?.at ?? null;
}
