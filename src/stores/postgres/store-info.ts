import type { ClientBase } from 'pg';
import type { StoreInfo } from '../store.ts';
import { SECTIONS, type Section } from '../transfer/records.ts';
import { MIGRATIONS } from './migrations.ts';

/** What a section's records are counted in. Requests lie in several rows; an answer without a decision is only a lock. */
const ROWS: Readonly<Record<Section, string>> = {
  organisations: 'organisation',
  events: 'event',
  keys: 'api_key',
  tickets: 'ticket',
  log: 'scan_log',
  requests: '(SELECT DISTINCT key_id, month FROM api_key_usage) AS q',
  answers: "stored_answer WHERE decision <> ''",
  devices: 'device',
  documents: 'document',
  trail: 'trail',
};

export async function countSection(client: ClientBase, section: Section): Promise<number> {
  const { rows } = await client.query<{ records: number }>(
    `SELECT count(*) AS records FROM ${ROWS[section]}`,
  );
  return rows[0]?.records ?? 0;
}

/** @param versionFound the format's version when the store was opened */
export async function storeInfo(
  client: ClientBase,
  where: string,
  versionFound: number,
): Promise<StoreInfo> {
  const counts: [Section, number][] = [];
  for (const section of SECTIONS) counts.push([section, await countSection(client, section)]);
  const { rows } = await client.query<InfoRow>(INFO);
  const [row] = rows;
  return {
    engine: 'postgres',
    format: { version: MIGRATIONS.length, versionFound },
    counts: Object.fromEntries(counts) as Record<Section, number>,
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
