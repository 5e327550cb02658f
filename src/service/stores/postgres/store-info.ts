import type { ClientBase } from 'pg';
import { countSections } from '../sql/snapshot.ts';
import type { StoreInfo } from '../store.ts';
import { MIGRATIONS } from './migrations.ts';
import { PostgresConnection } from './postgres-connection.ts';

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
