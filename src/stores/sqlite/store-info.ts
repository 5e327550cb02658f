import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { StoreInfo } from '../store.ts';
import { SECTIONS, type Section } from '../transfer/records.ts';

const TABLES: Readonly<Record<Section, string>> = {
  organisations: 'organisation',
  events: 'event',
  keys: 'api_key',
  tickets: 'ticket',
  log: 'scan_log',
  requests: 'api_key_usage',
  answers: 'stored_answer',
  devices: 'device',
  documents: 'document',
  trail: 'trail',
};

export function countSection(database: DatabaseSync, section: Section): number {
  const sql = `SELECT count(*) AS records FROM ${TABLES[section]}`;
  return database.prepare(sql).get()?.['records'] as number;
}

/** @param versionFound the format's version when the database was opened */
export function storeInfo(database: DatabaseSync, path: string, versionFound: number): StoreInfo {
  const number = (name: string) =>
    Number(database.prepare(`PRAGMA ${name}`).get()?.[name] ?? Number.NaN);
  const pageSize = number('page_size');
  const newest = database
    .prepare('SELECT at, sequence FROM scan_log ORDER BY sequence DESC LIMIT 1')
    .get();
  const folded = database.prepare('SELECT folded FROM state').get()?.['folded'] as number;
  const counts = SECTIONS.map((section) => [section, countSection(database, section)]);
  const walBytes = sizeOf(`${path}-wal`);
  return {
    engine: 'sqlite',
    format: { version: number('user_version'), versionFound },
    counts: Object.fromEntries(counts) as Record<Section, number>,
    bytes: number('page_count') * pageSize + walBytes,
    lastScanAt: (newest?.['at'] as number | undefined) ?? null,
    details: {
      file: path,
      walBytes,
      freeBytes: number('freelist_count') * pageSize,
      unfoldedLogEntries: Math.max(0, Number(newest?.['sequence'] ?? 0) - folded),
      sqlite: database.prepare('SELECT sqlite_version() AS version').get()?.['version'] as string,
    },
  };
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
