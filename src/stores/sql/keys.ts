import type { OrganisationLimits } from '../../core/limits.ts';
import type { KeyLookup, KeyOfHash } from '../record-store.ts';
import type { SqlConnection } from './connection.ts';
import {
  IS_SCANNER,
  KEY_COLUMNS,
  type KeyRow,
  keyFrom,
  LIMIT_COLUMNS,
  limitsFrom,
} from './records.ts';

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

export async function keyLastUsedAt(sql: SqlConnection, keyId: string): Promise<number | null> {
  const { column, target } = sql.key;
  const [last] = await sql.rows<{ at: number | null }>(
    `SELECT max(last_used_at) AS at FROM api_key_usage WHERE ${column} = (SELECT ${target} FROM api_key WHERE id = $1)`,
    [keyId],
  );
  return last?.at ?? null;
}
