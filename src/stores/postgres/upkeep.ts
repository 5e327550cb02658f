import type { ClientBase } from 'pg';
import { prunedUpTo } from '../sql/deletion.ts';
import { countEntries } from '../sql/scan-counts.ts';
import { countSections } from '../sql/snapshot.ts';
import type { PrunableLog, StoreInfo } from '../store.ts';
import { MIGRATIONS } from './migrations.ts';
import { PostgresConnection } from './postgres-connection.ts';
import { partitionName, rememberUses } from './scan-log.ts';
import { inTransaction } from './transaction.ts';

/** @param versionFound the format's version when the store was opened */
export async function storeInfo(
  client: ClientBase,
  where: string,
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
      servers: where,
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

/** The newest entry always stays, because the next number follows from it. */
async function firstKept(client: ClientBase, before: number): Promise<number> {
  const { rows } = await client.query<{ kept: number | null }>(
    `SELECT least((SELECT sequence FROM scan_log WHERE at >= $1 ORDER BY sequence LIMIT 1), (SELECT max(sequence) FROM scan_log)) AS kept`,
    [before],
  );
  return rows[0]?.kept ?? 0;
}

export async function prunableLog(client: ClientBase, before: number): Promise<PrunableLog> {
  const { rows } = await client.query<PrunableLog>(
    `SELECT count(*) AS entries, count(*) FILTER (WHERE status = 'consumed' AND NOT replayed) - count(*) FILTER (WHERE status = 'undone') AS uses,
       (SELECT at FROM scan_log WHERE sequence < $1 ORDER BY sequence LIMIT 1) AS "firstAt",
       (SELECT at FROM scan_log WHERE sequence < $1 ORDER BY sequence DESC LIMIT 1) AS "lastAt"
     FROM scan_log WHERE sequence < $1`,
    [await firstKept(client, before)],
  );
  return rows[0] ?? { entries: 0, uses: 0, firstAt: null, lastAt: null };
}

/**
 * Drops a whole month where no entry of it is to stay, at no cost per entry, or else the oldest entries one by one. Their uses are
 * kept in a table of their own, not in the tickets: no scan has to wait.
 * @returns how many entries were removed
 */
export async function pruneLog(
  client: ClientBase,
  before: number,
  entriesMax: number,
): Promise<number> {
  const kept = await firstKept(client, before);
  for (const month of await monthsBefore(client, kept)) {
    const removed = await dropMonth(client, month, kept);
    if (removed > 0) return removed;
  }
  return removeEntries(client, kept, entriesMax);
}

/** The months of which no entry is to stay, oldest first. */
async function monthsBefore(client: ClientBase, kept: number): Promise<number[]> {
  const { rows } = await client.query<{ month: number }>(
    'SELECT month FROM scan_log GROUP BY month HAVING max(sequence) < $1 ORDER BY month',
    [kept],
  );
  return rows.map(({ month }) => month);
}

/** @returns 0 when a late entry keeps the month */
async function dropMonth(client: ClientBase, month: number, kept: number): Promise<number> {
  return inTransaction(client, async () => {
    const name = partitionName(month);
    const counted = await client.query<{ entries: number }>(
      `SELECT count(*) AS entries FROM ${name}`,
    );
    await rememberPruned(client, name, kept);
    // From here on no entry can be added; before, another transaction might have added one.
    await client.query(`LOCK TABLE ${name} IN ACCESS EXCLUSIVE MODE`);
    const now = await client.query<{ entries: number }>(`SELECT count(*) AS entries FROM ${name}`);
    const entries = counted.rows[0]?.entries ?? 0;
    if (now.rows[0]?.entries !== entries) throw new LateEntry();
    await client.query(`DELETE FROM undone_use WHERE sequence IN (SELECT sequence FROM ${name})`);
    const { rows } = await client.query<{ last: number }>(
      `SELECT max(sequence) AS last FROM ${name}`,
    );
    await client.query(`DROP TABLE ${name}`);
    const left = await client.query<{ first: number | null }>(
      'SELECT min(sequence) AS first FROM scan_log',
    );
    const first = left.rows[0]?.first ?? Number.MAX_SAFE_INTEGER;
    await prunedUpTo(new PostgresConnection(client), Math.min(rows[0]?.last ?? 0, first - 1));
    return entries;
  }).catch((error: unknown) => {
    if (error instanceof LateEntry) return 0;
    throw error;
  });
}

class LateEntry extends Error {}

async function removeEntries(
  client: ClientBase,
  kept: number,
  entriesMax: number,
): Promise<number> {
  return inTransaction(client, async () => {
    const { rows } = await client.query<{ bound: number | null }>(
      'SELECT max(sequence) + 1 AS bound FROM (SELECT sequence FROM scan_log WHERE sequence < $1 ORDER BY sequence LIMIT $2) AS oldest',
      [kept, entriesMax],
    );
    const bound = rows[0]?.bound;
    if (bound === null || bound === undefined) return 0;
    await rememberPruned(client, 'scan_log', bound);
    await client.query('DELETE FROM undone_use WHERE sequence < $1', [bound]);
    const { rowCount } = await client.query('DELETE FROM scan_log WHERE sequence < $1', [bound]);
    await prunedUpTo(new PostgresConnection(client), bound - 1);
    return rowCount ?? 0;
  });
}

/** Keeps the uses and counts of the entries before a number, inside the transaction that removes them. */
async function rememberPruned(client: ClientBase, log: string, before: number): Promise<void> {
  await client.query(rememberUses(log, '< $1'), [before]);
  await client.query(countEntries(new PostgresConnection(client), log, '< $1', 'pruned'), [before]);
}
