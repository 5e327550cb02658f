import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { DOCUMENT_VERSION } from '../../../src/service/stores/json/document.ts';
import { MIGRATIONS as POSTGRES } from '../../../src/service/stores/postgres/migrations.ts';
import { MIGRATIONS as SQLITE } from '../../../src/service/stores/sqlite/migrations.ts';

/** The formats of this program. */
export const FORMATS = {
  sqlite: SQLITE.length,
  json: DOCUMENT_VERSION,
  postgres: POSTGRES.length,
} as const;
export type KeptEngine = keyof typeof FORMATS;

/** Stores that an earlier program left behind, one folder for each engine and format: `sqlite-5`. */
export const KEPT_STORES = 'test/stores/formats';

const LISTS = [
  '/events',
  '/keys',
  '/tickets?limit=500',
  '/log?limit=500',
  '/audit-trail?limit=500',
  '/devices',
  '/accounts',
] as const;

type Item = Readonly<Record<string, unknown>>;

/** What the admin API showed of a store; lists by their path. */
export type Seen = Readonly<Record<string, readonly Item[]>>;

/** Facts about a kept store, written when it was made. */
export interface KeptFacts {
  readonly keys: Readonly<Record<string, string>>;
  /** One code for each state of a ticket. */
  readonly codes: Readonly<Record<string, string>>;
  readonly seen: Seen;
  /** What `audit` counted. */
  readonly audit: { readonly tickets: number; readonly scans: number };
}

/** Members that change with the time of day, with a sign-in or with the month. */
const UNSTEADY = new Set(['state', 'usage', 'lastSignInAt', 'online']);

/** Reads the lists of the store that is served at `url`. @param headers prove an owner */
export async function lookAt(url: string, headers: Record<string, string>): Promise<Seen> {
  const seen: Record<string, readonly Item[]> = {};
  for (const path of LISTS) {
    const answer = await fetch(`${url}/admin/v1${path}`, { headers });
    const { items } = (await answer.json()) as { items: Item[] };
    seen[path] = items.map((item) =>
      Object.fromEntries(Object.entries(item).filter(([name]) => !UNSTEADY.has(name))),
    );
  }
  return seen;
}

/** Keeps a file compressed: always the same bytes for the same content. */
export function keepFile(file: string, folder: string): void {
  writeFileSync(join(folder, `${basename(file)}.gz`), gzipSync(readFileSync(file), { level: 9 }));
}

/** Copies the files of a kept store into a folder, readable by the owner only, as the program wants its keyring. */
export function unpackStore(name: string, folder: string): void {
  for (const file of readdirSync(join(KEPT_STORES, name)).filter((one) => one.endsWith('.gz'))) {
    const target = join(folder, file.slice(0, -'.gz'.length));
    writeFileSync(target, gunzipSync(readFileSync(join(KEPT_STORES, name, file))));
    chmodSync(target, 0o600);
  }
}

export function factsOf(name: string): KeptFacts {
  const text = gunzipSync(readFileSync(join(KEPT_STORES, name, 'facts.json.gz'))).toString();
  return JSON.parse(text) as KeptFacts;
}
