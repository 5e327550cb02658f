import type { ClientBase } from 'pg';
import type { SqlConnection } from '../sql/connection.ts';
import {
  firstKept,
  lastSent,
  prunedUpTo,
  pruneOldest,
  rememberEntries,
  removeAlone,
} from '../sql/prune.ts';
import { countSections } from '../sql/transfer.ts';
import type { StoreInfo } from '../store.ts';
import { MIGRATIONS } from './migrations.ts';
import { PostgresConnection } from './postgres-connection.ts';
import { partitionName } from './scan-log.ts';

/** @param versionFound the version of the format when the store was opened */
export async function storeInfo(
  client: ClientBase,
  { servers, isPooled }: { readonly servers: string; readonly isPooled: boolean },
  versionFound: number,
): Promise<StoreInfo> {
  const counts = await countSections(new PostgresConnection(client));
  const { rows } = await client.query<InfoRow>(INFO);
  const [row] = rows;
  return {
    engine: 'postgres',
    format: { version: MIGRATIONS.length, versionFound },
    counts,
    bytes: row?.bytes ?? null,
    lastScanAt: row?.last_scan_at ?? null,
    details: {
      servers,
      ...(isPooled && { pooler: 'in front: no statement is prepared for later' }),
      database: row?.database ?? '',
      schema: row?.schema ?? '',
      postgres: row?.version ?? '',
      logMonths: row?.months ?? 0,
    },
  };
}

interface InfoRow {
  readonly bytes: number;
  readonly last_scan_at: number | null;
  readonly database: string;
  readonly schema: string;
  readonly version: string;
  readonly months: number;
}

const INFO = `
  SELECT current_database() AS database, current_schema() AS schema, current_setting('server_version') AS version,
    (SELECT at FROM scan_log ORDER BY sequence DESC LIMIT 1) AS last_scan_at,
    (SELECT count(*) FROM pg_inherits WHERE inhparent = 'scan_log'::regclass) AS months,
    (SELECT sum(pg_total_relation_size(c.oid))::bigint FROM pg_class c
      WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r') AS bytes`;

/**
 * Drops a whole month if none of its entries is to stay, which costs nothing per entry; otherwise removes the oldest entries one by one.
 * Their uses are kept in a table of their own, not in the tickets, so that no scan has to wait.
 * @returns how many entries were removed
 */
export async function pruneLog(
  sql: SqlConnection,
  before: number,
  entriesMax: number,
): Promise<number> {
  const kept = Math.min(await firstKept(sql, before), (await lastSent(sql)) + 1);
  // Months without an entry that is to stay, oldest first.
  const months = await sql.rows<{ month: number }>(
    'SELECT month FROM scan_log GROUP BY month HAVING max(sequence) < $1 ORDER BY month',
    [kept],
  );
  for (const { month } of months) {
    const removed = await dropMonth(sql, partitionName(month), kept);
    if (removed > 0) return removed;
  }
  return pruneOldest(sql, before, entriesMax);
}

/** @returns 0 if a late entry keeps the month, or another process has dropped it */
async function dropMonth(sql: SqlConnection, name: string, kept: number): Promise<number> {
  const counted = async (which = '', values: readonly number[] = []) => {
    const [of] = await sql.rows<{ entries: number; last: number | null }>(
      `SELECT count(*) AS entries, max(sequence) AS last FROM ${name} ${which}`,
      values,
    );
    return of ?? { entries: 0, last: null };
  };
  const drop = async () => {
    await removeAlone(sql);
    const [part] = await sql.rows('SELECT 1 AS found WHERE to_regclass($1) IS NOT NULL', [name]);
    if (!part) return 0;
    const { entries } = await counted('WHERE sequence < $1', [kept]);
    await rememberEntries(sql, name, '< $1', [kept]);
    // From here on no other transaction can add an entry.
    await sql.run(`LOCK TABLE ${name} IN ACCESS EXCLUSIVE MODE`);
    const now = await counted();
    if (now.entries !== entries) throw new LateEntry();
    await sql.run(`DELETE FROM undone_use WHERE sequence IN (SELECT sequence FROM ${name})`);
    await sql.run(`DROP TABLE ${name}`);
    const [left] = await sql.rows<{ first: number | null }>(
      'SELECT min(sequence) AS first FROM scan_log',
    );
    const first = left?.first ?? Number.MAX_SAFE_INTEGER;
    await prunedUpTo(sql, Math.min(now.last ?? 0, first - 1));
    return entries;
  };
  return sql.inTransaction(drop).catch((error: unknown) => {
    if (error instanceof LateEntry) return 0;
    throw error;
  });
}

class LateEntry extends Error {}
