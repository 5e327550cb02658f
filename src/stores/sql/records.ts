import type { DocumentKind } from '../../core/administrative-records.ts';
import { readersIn, readersText } from '../../core/direction.ts';
import { type KeyTerms, withoutUnset } from '../../core/key-terms.ts';
import type { OrganisationLimits } from '../../core/limits.ts';
import type { ApiKeyRecord, EventRecord, Organisation } from '../../core/records.ts';
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
import { listDocuments, readDocument } from './administrative-records.ts';
import type { SqlConnection, SqlValue } from './connection.ts';
import { insertRow } from './rows.ts';

/** With `organisation` as o, named as in `OrganisationLimits`. */
const LIMIT_COLUMNS =
  'o.rate_per_second AS "ratePerSecond", o.burst, o.quota_per_month AS "quotaPerMonth", o.keys_max AS "keysMax"';

/** With `organisation` as o. */
const ORGANISATION_COLUMNS = `o.id, o.name, o.created_at AS "createdAt", o.time_zone AS "timeZone",
  o.sample_neighbour AS "sampleNeighbour", ${LIMIT_COLUMNS}`;

type OrganisationRow = Omit<Organisation, 'limits' | 'timeZone' | 'sampleNeighbour'> &
  OrganisationLimits & {
    readonly timeZone: string | null;
    /** A number or a boolean, as the engine has it. */
    readonly sampleNeighbour: unknown;
  };

function organisationFrom(row: OrganisationRow): Organisation {
  const { id, name, timeZone, sampleNeighbour, createdAt } = row;
  return {
    ...{ id, name, limits: limitsFrom(row) },
    ...(timeZone !== null && { timeZone }),
    ...(sampleNeighbour ? { sampleNeighbour: true } : {}),
    createdAt,
  };
}

function limitsFrom(row: OrganisationLimits): OrganisationLimits {
  const { ratePerSecond, burst, quotaPerMonth, keysMax } = row;
  return { ratePerSecond, burst, quotaPerMonth, keysMax };
}

/** With `event` as e. */
const EVENT_COLUMNS =
  'e.id, e.organisation_id AS "organisationId", e.name, e.created_at AS "createdAt", e.archived_at AS "archivedAt"';

/** With `api_key` as k: until when a key holds, and its readers. */
export const TERM_COLUMNS = `k.readers, k.on_exit AS "onExit", k.expires_at AS "expiresAt", k.rotations,
  k.previous_until AS "previousUntil", k.device`;

export type TermRow = {
  readonly [Member in Exclude<keyof KeyTerms, 'readers'>]: KeyTerms[Member] | null;
} & {
  /** Such as `0=in,1=out`. */
  readonly readers: string;
};

/** Of `TERM_COLUMNS`. */
export function termsOf(row: TermRow): KeyTerms {
  const { readers, onExit, expiresAt, rotations, previousUntil, device } = row;
  const terms = { onExit, expiresAt, rotations, previousUntil, device };
  return withoutUnset({ readers: readersIn(readers), ...terms });
}

/** With `api_key` as k. No identifier holds a blank. */
const KEY_COLUMNS = `k.id, k.organisation_id AS "organisationId", k.name, k.type, k.all_events, k.active, k.relay,
  k.open_seconds AS "openSeconds", k.created_at AS "createdAt", ${TERM_COLUMNS},
  (SELECT string_agg(e.id, ' ' ORDER BY e.ordinal) FROM api_key_event s JOIN event e ON e.id = s.event_id
   WHERE s.key_id = k.id) AS event_ids`;

/** With `api_key` as k: an account that scans. */
const IS_SCANNER = isScanner('k.id');
const IS_KEY = `k.deleted_at IS NULL AND NOT ${IS_SCANNER}`;

interface KeyRow extends Omit<ApiKeyRecord, 'events' | 'active' | keyof KeyTerms>, TermRow {
  /** A number or a boolean, as the engine has it. */
  readonly active: unknown;
  readonly all_events: unknown;
  /** Null for none. */
  readonly event_ids: string | null;
}

function keyFrom(row: KeyRow): ApiKeyRecord {
  const { id, organisationId, name, type, relay, openSeconds, createdAt } = row;
  const events: ApiKeyRecord['events'] = row.all_events ? 'all' : (row.event_ids?.split(' ') ?? []);
  const active = Boolean(row.active);
  const plain = { id, organisationId, name, type, active, relay, openSeconds, createdAt };
  return { ...plain, events, ...termsOf(row) };
}

/** The table of a kind of record. */
interface Table<Item, Row> {
  readonly table: string;
  readonly alias: string;
  readonly columns: string;
  /** Which rows of the table are of the kind. */
  readonly which: string;
  readonly record: (row: Row) => Item;
  /** What an insert and an update write, by column. */
  readonly values: (item: Item) => Readonly<Record<string, SqlValue>>;
}

const ORGANISATIONS: Table<Organisation, OrganisationRow> = {
  ...{ table: 'organisation', alias: 'o', columns: ORGANISATION_COLUMNS, which: 'TRUE' },
  record: organisationFrom,
  values: ({ id, name, limits, timeZone, sampleNeighbour, createdAt }) => ({
    ...{ id, name, created_at: createdAt, burst: limits.burst, keys_max: limits.keysMax },
    ...{ rate_per_second: limits.ratePerSecond, quota_per_month: limits.quotaPerMonth },
    ...{ time_zone: timeZone ?? null, sample_neighbour: sampleNeighbour === true },
  }),
};

const EVENTS: Table<EventRecord, EventRecord> = {
  ...{ table: 'event', alias: 'e', columns: EVENT_COLUMNS, which: 'TRUE' },
  record: (row) => ({ ...row }),
  values: ({ id, organisationId, name, createdAt, archivedAt }) => ({
    ...{ id, organisation_id: organisationId, name },
    ...{ created_at: createdAt, archived_at: archivedAt },
  }),
};

const KEYS: Table<ApiKeyRecord, KeyRow> = {
  ...{ table: 'api_key', alias: 'k', columns: KEY_COLUMNS, which: IS_KEY },
  record: keyFrom,
  values: (key) => ({
    ...{ id: key.id, organisation_id: key.organisationId, name: key.name, type: key.type },
    ...{ all_events: key.events === 'all', active: key.active, relay: key.relay },
    ...{ open_seconds: key.openSeconds, created_at: key.createdAt, readers: readersText(key) },
    ...{ on_exit: key.onExit ?? 'consume', expires_at: key.expiresAt ?? null },
    ...{ device: key.device ?? '', rotations: key.rotations ?? 0 },
    previous_until: key.previousUntil ?? null,
  }),
};

const SCANNERS: Table<RecordOf['scanner'], KeyRow> = {
  ...{ ...KEYS, which: IS_SCANNER },
  record: (row) => scannerOfKey(keyFrom(row)),
  values: (scanner) => {
    const { key, hash } = keyOfScanner(scanner);
    return { ...KEYS.values(key), hash };
  },
};

const TABLES = { organisation: ORGANISATIONS, event: EVENTS, key: KEYS, scanner: SCANNERS };

export function tableOf<Kind extends RecordKind>(kind: Kind): Table<RecordOf[Kind], unknown> {
  return TABLES[kind] as unknown as Table<RecordOf[Kind], unknown>;
}

function isRecordKind(kind: string): kind is RecordKind {
  return kind in TABLES;
}

export async function read<Kind extends keyof Stored>(
  sql: SqlConnection,
  kind: Kind,
  id: string,
): Promise<Stored[Kind] | undefined> {
  const found = isRecordKind(kind)
    ? await readRecord(sql, kind, id)
    : await readDocument(sql, kind as DocumentKind, id);
  return found as Stored[Kind] | undefined;
}

export async function list<Kind extends keyof Stored>(
  sql: SqlConnection,
  kind: Kind,
  filter: RecordFilter = {},
): Promise<Stored[Kind][]> {
  const found = isRecordKind(kind)
    ? await listRecords(sql, kind, filter)
    : await listDocuments(sql, kind as DocumentKind, filter.member);
  return found as Stored[Kind][];
}

async function listRecords<Kind extends RecordKind>(
  sql: SqlConnection,
  kind: Kind,
  filter: RecordFilter,
): Promise<RecordOf[Kind][]> {
  const { organisationId, afterId, withoutArchived, named, limit } = filter;
  const { table, alias, columns, which, record } = tableOf(kind);
  const values: SqlValue[] = [];
  const conditions = [which];
  if (organisationId !== undefined)
    conditions.push(`${alias}.organisation_id = $${values.push(organisationId)}`);
  if (withoutArchived) conditions.push(`${alias}.archived_at IS NULL`);
  if (afterId !== undefined)
    conditions.push(`${alias}.ordinal > $${values.push(await ordinalOf(sql, table, afterId))}`);
  // No server folds as this program does, so names are compared here, and the limit is too.
  const isCutHere = named !== undefined;
  const cut = limit === undefined || isCutHere ? '' : ` LIMIT $${values.push(limit)}`;
  const rows = await sql.rows(
    `SELECT ${columns} FROM ${table} ${alias} WHERE ${conditions.join(' AND ')} ORDER BY ${alias}.ordinal${cut}`,
    values,
  );
  const records = rows.map(record);
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
  const { table, alias, columns, which, record } = tableOf(kind);
  const [row] = await sql.rows(
    `SELECT ${columns} FROM ${table} ${alias} WHERE ${alias}.id = $1 AND ${which}`,
    [id],
  );
  return row === undefined ? undefined : record(row);
}

/** Inside a transaction. @param more what the record itself does not say, by column */
export async function insertRecord<Kind extends RecordKind>(
  sql: SqlConnection,
  kind: Kind,
  item: RecordOf[Kind],
  more: Readonly<Record<string, SqlValue>> = {},
): Promise<void> {
  const { table, values } = tableOf(kind);
  await insertRow(sql, table, { ...values(item), ...more });
  if (table === 'api_key') await sql.addKeyState(item.id);
}

/** Inside a transaction: writes a record that there is. */
export async function updateRecord<Kind extends RecordKind>(
  sql: SqlConnection,
  kind: Kind,
  item: RecordOf[Kind],
): Promise<void> {
  const { table, values } = tableOf(kind);
  const columns = Object.entries(values(item)).filter(([name]) => name !== 'id');
  const changes = columns.map(([name], index) => `${name} = $${index + 2}`).join(', ');
  await sql.run(`UPDATE ${table} SET ${changes} WHERE id = $1`, [
    item.id,
    ...columns.map(([, value]) => value),
  ]);
}

/**
 * One of `ids` that `table` does not have, or undefined when it has them all.
 * @param lock `forKeyShare` of the connection when what is written next belongs to them: whoever deletes one waits until the end of
 *   the transaction, and looks after that
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

interface Owner {
  readonly timeZone: string | null;
  readonly revision: number;
}

/** As the engine has them. */
interface Flags {
  readonly active: unknown;
  readonly deletedAt: number | null;
}

type FoundKeyRow = KeyRow & OrganisationLimits & Owner & { readonly hash: string };

export async function findKeyByHash(
  sql: SqlConnection,
  hash: string,
): Promise<KeyLookup | undefined> {
  const [row] = await sql.rows<FoundKeyRow>(
    `SELECT ${KEY_COLUMNS}, ${LIMIT_COLUMNS}, o.time_zone AS "timeZone", (SELECT revision FROM state) AS revision, k.hash
     FROM api_key k JOIN organisation o ON o.id = k.organisation_id
     WHERE (k.hash = $1 OR k.previous_hash = $1) AND k.deleted_at IS NULL
       AND NOT ${IS_SCANNER}`,
    [hash],
  );
  if (!row) return undefined;
  const isPrevious = row.hash !== hash;
  const { timeZone, revision } = row;
  const zone = timeZone === null ? {} : { timeZone };
  return { key: keyFrom(row), limits: limitsFrom(row), ...zone, revision, isPrevious };
}

export async function findKeysByHash(
  sql: SqlConnection,
  hashes: readonly string[],
): Promise<KeyOfHash[]> {
  const rows = await sql.rows<Omit<KeyOfHash, 'active' | 'isDeleted'> & Flags>(
    `SELECT hash, id, organisation_id AS "organisationId", type, active, deleted_at AS "deletedAt"
     FROM api_key WHERE ${sql.anyOf('hash', '$1')}`,
    [hashes],
  );
  return rows.map(({ active, deletedAt, ...key }) => {
    return { ...key, active: Boolean(active), isDeleted: deletedAt !== null };
  });
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
