import type { NewAuditLogEntry } from '../../../core/administrative-records.ts';
import { changedKey } from '../../../core/changed-key.ts';
import { readersIn, readersText } from '../../../core/direction.ts';
import { type KeyTerms, termsFrom } from '../../../core/key-terms.ts';
import type { OrganisationLimits } from '../../../core/limits.ts';
import type { ApiKeyChanges, ApiKeyRecord, ScannerRecord } from '../../../core/records.ts';
import type { KeyLookup, KeyOfHash } from '../record-store.ts';
import { isScanner, keyOfScanner, scannerOfKey } from '../scanner-key.ts';
import { noSuchEventThere, notFound, tooManyKeys } from '../store-errors.ts';
import type { StoredKey } from '../transfer/records.ts';
import { writeAuditEntry } from './audit-log.ts';
import { change } from './change.ts';
import type { SqlConnection } from './connection.ts';
import { keysMaxOf, LIMIT_COLUMNS, limitsFrom } from './organisations.ts';

/** With `api_key` as k: until when a key holds, and its readers. */
export const TERM_COLUMNS = `k.readers, k.on_exit AS "onExit", k.expires_at AS "expiresAt", k.rotations,
  k.previous_until AS "previousUntil", k.device`;

export type TermRow = {
  readonly [Member in Exclude<keyof KeyTerms, 'readers'>]: KeyTerms[Member] | null;
} & {
  /** Such as `0=in,1=out`. */
  readonly readers: string;
};

/** With `api_key` as k. No identifier holds a blank. */
export const KEY_COLUMNS = `k.id, k.organisation_id AS "organisationId", k.name, k.type, k.all_events, k.active, k.relay,
  k.open_seconds AS "openSeconds", k.created_at AS "createdAt", ${TERM_COLUMNS},
  (SELECT string_agg(e.id, ' ' ORDER BY e.ordinal) FROM api_key_event s JOIN event e ON e.id = s.event_id
   WHERE s.key_id = k.id) AS event_ids`;

/** With `api_key` as k: an account that scans. */
const IS_SCANNER = isScanner('k.id');

export interface KeyRow extends Omit<ApiKeyRecord, 'events' | 'active' | keyof KeyTerms>, TermRow {
  /** A number or a boolean, as the engine has it. */
  readonly active: unknown;
  readonly all_events: unknown;
  /** Null for none. */
  readonly event_ids: string | null;
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

export function keyFrom(row: KeyRow): ApiKeyRecord {
  const { id, organisationId, name, type, relay, openSeconds, createdAt } = row;
  const events: ApiKeyRecord['events'] = row.all_events ? 'all' : (row.event_ids?.split(' ') ?? []);
  const active = Boolean(row.active);
  const plain = { id, organisationId, name, type, active, relay, openSeconds, createdAt };
  return { ...plain, events, ...termsOf(row) };
}

/** Of `TERM_COLUMNS`. */
export function termsOf(row: TermRow): KeyTerms {
  return termsFrom({ ...row, readers: readersIn(row.readers) });
}

/** What is kept of the values of a key. */
type KeyHashes = Pick<StoredKey, 'hash' | 'previousHash' | 'deletedAt'>;

/** A key with its events. */
export async function insertKey(
  connection: SqlConnection,
  key: ApiKeyRecord,
  { hash, previousHash, deletedAt }: KeyHashes,
): Promise<void> {
  const { id, organisationId, name, type, events, active, relay, openSeconds, createdAt } = key;
  await connection.run(
    `INSERT INTO api_key (id, organisation_id, hash, name, type, all_events, active, relay, open_seconds, created_at, deleted_at,
       previous_hash, readers, on_exit, expires_at, device, rotations, previous_until)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`,
    [
      id,
      organisationId,
      hash,
      name,
      type,
      events === 'all',
      active,
      relay,
      openSeconds,
      createdAt,
      deletedAt,
      previousHash,
      ...termValues(key),
      key.rotations ?? 0,
      key.previousUntil ?? null,
    ],
  );
  await connection.addKeyState(id);
  await selectEvents(connection, key);
}

/** Of readers, on_exit, expires_at and device. */
function termValues(key: KeyTerms): [string, string, number | null, string] {
  const { onExit = 'consume', expiresAt = null, device = '' } = key;
  return [readersText(key), onExit, expiresAt, device];
}

/** @throws TicketscanError `not_found` for an event that is not the organisation's */
async function selectEvents(connection: SqlConnection, key: ApiKeyRecord): Promise<void> {
  if (key.events === 'all') return;
  for (const eventId of new Set(key.events)) {
    const written = await connection.run(
      'INSERT INTO api_key_event (key_id, event_id) SELECT $1, id FROM event WHERE id = $2 AND organisation_id = $3',
      [key.id, eventId, key.organisationId],
    );
    if (written !== 1) throw noSuchEventThere(eventId);
  }
}

async function existingKey(connection: SqlConnection, keyId: string): Promise<ApiKeyRecord> {
  const [row] = await connection.rows<KeyRow>(
    `SELECT ${KEY_COLUMNS} FROM api_key k WHERE k.id = $1 AND k.deleted_at IS NULL`,
    [keyId],
  );
  if (!row) throw notFound('key', keyId);
  return keyFrom(row);
}

type FoundKeyRow = KeyRow & OrganisationLimits & Owner & { readonly hash: string };

export async function findKeyByHash(
  connection: SqlConnection,
  hash: string,
): Promise<KeyLookup | undefined> {
  const [row] = await connection.rows<FoundKeyRow>(
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
  connection: SqlConnection,
  hashes: readonly string[],
): Promise<KeyOfHash[]> {
  const rows = await connection.rows<Omit<KeyOfHash, 'active' | 'isDeleted'> & Flags>(
    `SELECT hash, id, organisation_id AS "organisationId", type, active, deleted_at AS "deletedAt"
     FROM api_key WHERE ${connection.anyOf('hash', '$1')}`,
    [hashes],
  );
  return rows.map(({ active, deletedAt, ...key }) => {
    return { ...key, active: Boolean(active), isDeleted: deletedAt !== null };
  });
}

export async function createKey(
  connection: SqlConnection,
  key: ApiKeyRecord,
  hash: string,
  auditEntry: NewAuditLogEntry,
): Promise<void> {
  await change(connection, auditEntry, async () => {
    const keysMax = await keysMaxOf(connection, key.organisationId);
    const [counted] = await connection.rows<{ keys: number }>(
      `SELECT count(*) AS keys FROM api_key k WHERE organisation_id = $1 AND deleted_at IS NULL AND NOT ${IS_SCANNER}`,
      [key.organisationId],
    );
    if ((counted?.keys ?? 0) >= keysMax) throw tooManyKeys(keysMax);
    await insertKey(connection, key, { hash, previousHash: null, deletedAt: null });
  });
}

export async function listKeys(connection: SqlConnection): Promise<ApiKeyRecord[]> {
  const rows = await connection.rows<KeyRow>(
    `SELECT ${KEY_COLUMNS} FROM api_key k WHERE k.deleted_at IS NULL AND NOT ${IS_SCANNER} ORDER BY k.ordinal`,
  );
  return rows.map(keyFrom);
}

export async function addScanner(
  connection: SqlConnection,
  scanner: ScannerRecord,
  auditEntry: NewAuditLogEntry,
): Promise<void> {
  const { key, hash } = keyOfScanner(scanner);
  await connection.inTransaction(async () => {
    // Of two at once, the second waits here, and finds what the first has written.
    await connection.run('UPDATE state SET revision = revision + 1');
    const known = await connection.rows('SELECT 1 AS one FROM api_key WHERE id = $1', [key.id]);
    if (known.length > 0) return;
    await keysMaxOf(connection, key.organisationId);
    await insertKey(connection, key, { hash, previousHash: null, deletedAt: null });
    await writeAuditEntry(connection, auditEntry);
  });
}

export async function listScanners(connection: SqlConnection): Promise<ScannerRecord[]> {
  const rows = await connection.rows<KeyRow>(
    `SELECT ${KEY_COLUMNS} FROM api_key k WHERE ${IS_SCANNER} ORDER BY k.ordinal`,
  );
  return rows.map((row) => scannerOfKey(keyFrom(row)));
}

export function updateKey(
  connection: SqlConnection,
  keyId: string,
  changes: ApiKeyChanges,
  auditEntry: NewAuditLogEntry,
): Promise<ApiKeyRecord> {
  return change(connection, auditEntry, async () => {
    const after = changedKey(await existingKey(connection, keyId), changes);
    await connection.run(
      `UPDATE api_key SET name = $1, active = $2, relay = $3, open_seconds = $4, all_events = $5, readers = $6, on_exit = $7,
             expires_at = $8, device = $9, previous_until = $10 WHERE id = $11`,
      [
        ...[after.name, after.active, after.relay, after.openSeconds, after.events === 'all'],
        ...[...termValues(after), after.previousUntil ?? null, keyId],
      ],
    );
    await connection.run('DELETE FROM api_key_event WHERE key_id = $1', [keyId]);
    await selectEvents(connection, after);
    return existingKey(connection, keyId);
  });
}

export function rotateKey(
  connection: SqlConnection,
  keyId: string,
  hash: string,
  previousUntil: number,
  auditEntry: NewAuditLogEntry,
): Promise<ApiKeyRecord> {
  return change(connection, auditEntry, async () => {
    const key = await existingKey(connection, keyId);
    await connection.run(
      'UPDATE api_key SET previous_hash = hash, hash = $2, rotations = $3, previous_until = $4 WHERE id = $1',
      [keyId, hash, (key.rotations ?? 0) + 1, previousUntil],
    );
    return existingKey(connection, keyId);
  });
}

export async function deleteKey(
  connection: SqlConnection,
  keyId: string,
  at: number,
  auditEntry: NewAuditLogEntry,
): Promise<void> {
  await change(connection, auditEntry, async () => {
    const written = await connection.run(
      'UPDATE api_key SET deleted_at = $2, active = $3 WHERE id = $1 AND deleted_at IS NULL',
      [keyId, at, false],
    );
    if (written !== 1) throw notFound('key', keyId);
  });
}

export async function requestsInMonth(
  connection: SqlConnection,
  keyId: string,
  month: number,
): Promise<number> {
  const { column, target } = connection.key;
  const [sum] = await connection.rows<{ requests: number }>(
    `SELECT CAST(coalesce(sum(requests), 0) AS bigint) AS requests FROM api_key_usage
     WHERE ${column} = (SELECT ${target} FROM api_key WHERE id = $1) AND month = $2`,
    [keyId, month],
  );
  return sum?.requests ?? 0;
}

export async function keyLastUsedAt(
  connection: SqlConnection,
  keyId: string,
): Promise<number | null> {
  const { column, target } = connection.key;
  const [last] = await connection.rows<{ at: number | null }>(
    `SELECT max(last_used_at) AS at FROM api_key_usage WHERE ${column} = (SELECT ${target} FROM api_key WHERE id = $1)`,
    [keyId],
  );
  return last?.at ?? null;
}
