import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { countSections } from '../sql/snapshot.ts';
import type { StoreInfo } from '../store.ts';
import { SqliteConnection } from './sqlite-connection.ts';

/** @param versionFound the format's version when the database was opened */
export async function storeInfo(
  database: DatabaseSync,
  path: string,
  versionFound: number,
): Promise<StoreInfo> {
  const number = (name: string) =>
    Number(database.prepare(`PRAGMA ${name}`).get()?.[name] ?? Number.NaN);
  const pageSize = number('page_size');
  const newest = database
    .prepare('SELECT at, sequence FROM scan_log ORDER BY sequence DESC LIMIT 1')
    .get();
  const folded = database.prepare('SELECT folded FROM state').get()?.['folded'] as number;
  const walBytes = sizeOf(`${path}-wal`);
  return {
    engine: 'sqlite',
    format: { version: number('user_version'), versionFound },
    counts: await countSections(new SqliteConnection(database)),
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
