import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { filesOfStore, parseStoreUrl } from './open-store.ts';
import { postgresHosts } from './postgres/address.ts';

/** What a store has names for. */
export type NamedKind = 'event' | 'key' | 'organisation';

export interface NamedRecord {
  readonly id: string;
  readonly name: string;
}

const QUERIES: Readonly<Record<NamedKind, string>> = {
  event: 'SELECT id, name FROM event WHERE archived_at IS NULL ORDER BY ordinal',
  key: 'SELECT id, name FROM api_key WHERE deleted_at IS NULL ORDER BY ordinal',
  organisation: 'SELECT id, name FROM organisation ORDER BY ordinal',
};

/** A document above this takes too long to read for a key press. */
const DOCUMENT_BYTES_MAX = 8_000_000;

/**
 * The ids and names of one kind of record, without the locks, the migration and the writes of `openStore`: for a look while
 * somebody types. Nothing is created. A store of another format is not read.
 * @param msMax time limit for a database on the network
 * @throws Error when the store does not exist, is busy or is of another format
 */
export async function readNames(
  url: string,
  kind: NamedKind,
  msMax: number,
): Promise<NamedRecord[]> {
  const address = parseStoreUrl(url);
  if (address.engine === 'memory') return [];
  if (address.engine === 'postgres') return fromPostgres(address.url, kind, msMax);
  const read = address.engine === 'json' ? fromDocument : fromSqlite;
  return read(filesOfStore(url), kind);
}

async function fromSqlite(files: readonly string[], kind: NamedKind): Promise<NamedRecord[]> {
  const [path = '', log = '', shared = ''] = files;
  const address = pathToFileURL(path);
  if (existsSync(log)) {
    // SQLite would create the missing file for this user, and the service may be another.
    if (!existsSync(shared)) throw new Error('the store was not closed');
  } else address.searchParams.set('immutable', '1');
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(address, { readOnly: true, timeout: 0 });
  try {
    return database.prepare(QUERIES[kind]).all() as unknown as NamedRecord[];
  } finally {
    database.close();
  }
}

async function fromDocument(files: readonly string[], kind: NamedKind): Promise<NamedRecord[]> {
  const [path = '', logPath = ''] = files;
  const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
  if (bytes > DOCUMENT_BYTES_MAX) throw new Error('the store is too large');
  const { loadStore } = await import('./json/load-store.ts');
  const { MemoryStore } = await import('./memory/memory-store.ts');
  const [document, log] = await Promise.all([readFile(path, 'utf8'), readFile(logPath)]);
  const store = new MemoryStore(loadStore({ path, logPath, document, log }).state);
  if (kind === 'organisation') return store.listOrganisations();
  if (kind === 'key') return store.listKeys();
  return (await store.listEvents()).filter(({ archivedAt }) => archivedAt === null);
}

async function fromPostgres(url: string, kind: NamedKind, msMax: number): Promise<NamedRecord[]> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({
    connectionString: postgresHosts(url)[0]?.url,
    connectionTimeoutMillis: msMax,
    query_timeout: msMax,
    application_name: 'ticketscan',
  });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<NamedRecord>(QUERIES[kind])).rows;
  } finally {
    await client.end();
  }
}
