import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openStore } from '../../src/service/stores/open-store.ts';
import { CliFolder, consume, PROGRAM, presentCard } from '../support/cli.ts';
import { execute, postgresSchema } from '../support/postgres/schema.ts';
import { postAdmin, signIn } from '../support/remote.ts';
import { FORMATS, factsOf, KEPT_STORES, lookAt, unpackStore } from './support/kept-store.ts';

/** The files, by engine: a store of Postgres is loaded into a schema of the test server. */
const URLS = { sqlite: 'sqlite:./ticketscan.db', json: 'json:./ticketscan.json' } as const;

let folder: CliFolder;
let schema: Awaited<ReturnType<typeof postgresSchema>>;
beforeEach(async () => {
  folder = new CliFolder();
  schema = await postgresSchema();
});
afterEach(async () => {
  await folder[Symbol.asyncDispose]();
  await schema.remove();
});

/** Puts a kept store where the program can open it. Returns its URL. */
async function restore(name: string): Promise<string> {
  unpackStore(name, folder.path);
  const [engine = ''] = name.split('-');
  if (engine !== 'postgres') return URLS[engine as keyof typeof URLS];
  await execute(readFileSync(join(folder.path, 'store.sql'), 'utf8'), schema.url);
  return schema.url;
}

describe.each(readdirSync(KEPT_STORES))('a store of the format %s', (name) => {
  test('is served with all that it held, and goes on from there', async () => {
    const { codes, keys, seen, audit } = factsOf(name);
    const store = await restore(name);
    const { url, stop } = await folder.serve(['--store', store]);

    const cookie = await signIn(url);
    const now = await lookAt(url, { cookie });
    for (const [path, items] of Object.entries(seen))
      expect(now[path]?.slice(-items.length), path).toMatchObject(items);

    const scans = [];
    for (const state of ['multi', 'multi', 'permanent', 'cancelled', 'exhausted', 'unknown'])
      scans.push(await consume(url, keys['rest']!, codes[state]!));
    expect(scans).toMatchObject([
      { status: 'consumed', usesConsumed: 4 },
      { status: 'consumed', usesConsumed: 5 },
      { status: 'consumed', usesConsumed: 2 },
      { reason: 'ticket_cancelled' },
      { status: 'exhausted' },
      { status: 'not_found' },
    ]);
    for (const key of ['deleted', 'disabled', 'quotaExhausted'])
      expect(await consume(url, keys[key]!, codes['multi']!)).toHaveProperty('message');
    // Of this key the earlier program set the relay and the seconds.
    expect(await presentCard(url, keys['hardware']!, codes['multi']!)).toMatchObject({
      AcsRes: '1',
      ActIndex: '1',
      Time: '8',
      Note: 'Ticket gültig (6/10)',
    });
    const event = seen['/events']![0]!['id'];
    const minted = await postAdmin(url, '/tickets', { event, type: 'single' }, cookie);
    const [ticket] = ((await minted.json()) as { items: { code: string }[] }).items;
    expect(await consume(url, keys['rest']!, ticket!.code)).toMatchObject({
      valid: true,
    });

    expect(await stop()).toBe(0);
    // A name that an earlier program wrote, in other letters.
    const found = await folder.json([
      'tickets',
      'list',
      '--search',
      'LUKASIEWICZ',
      '--store',
      store,
    ]);
    expect(found).toMatchObject([{ holder: { lastName: 'Łukasiewicz' } }]);
    expect(await folder.json(['audit', '--store', store])).toEqual({
      ok: true,
      tickets: audit.tickets + 1,
      scans: audit.scans + scans.length + 2,
      problems: [],
    });
  });
});

test.each(readdirSync(KEPT_STORES).filter((name) => !name.startsWith('json')))(
  'a store of the format %s has the tables of a new store afterwards',
  async (name) => {
    const hint = `a migration was changed; if it was never released, delete ${KEPT_STORES}/${name} and run node scripts/keep-store-formats.ts`;
    const store = await restore(name);
    if (name.startsWith('sqlite')) {
      const fresh = await tablesOf(join(folder.path, 'new.db'));
      expect(await tablesOf(join(folder.path, 'ticketscan.db')), hint).toEqual(fresh);
    } else {
      const empty = await postgresSchema();
      const fresh = await columnsOf(empty.url);
      await empty.remove();
      expect(await columnsOf(store), hint).toEqual(fresh);
    }
  },
);

test('a store of each format of this program is kept', () => {
  const current = Object.entries(FORMATS).map(([engine, format]) => `${engine}-${format}`);
  expect(readdirSync(KEPT_STORES), 'run: node scripts/keep-store-formats.ts').toEqual(
    expect.arrayContaining(current),
  );
});

test('the changelog and the page on upgrading name the formats of this program', () => {
  const { sqlite, json, postgres } = FORMATS;
  const line = `Store formats: SQLite ${sqlite}, PostgreSQL ${postgres}, JSON ${json}.`;
  expect(readFileSync('CHANGELOG.md', 'utf8').split('\n## ')[1]).toContain(line);
  expect(readFileSync('docs/upgrade.md', 'utf8')).toContain(line);
});

test('the commands in short of the page on upgrading work as they are written', async () => {
  await restore(`sqlite-${FORMATS.sqlite}`);
  const block = readFileSync('docs/upgrade.md', 'utf8').split(/```(?:sh\n)?/)[1] ?? '';
  const script = `set -e; mkdir backup; ticketscan() { "${process.execPath}" "${PROGRAM}" "$@"; }
${block.replaceAll('/backup/', 'backup/')}`;

  const { stdout } = await promisify(execFile)('bash', ['-c', script], {
    cwd: folder.path,
    env: { ...process.env, TICKETSCAN_PORT: '0' },
  });

  expect(stdout).toContain(`Format ${FORMATS.sqlite} is up to date.`);
  expect(stdout).toMatch(/Sound: \d+ tickets, \d+ scans, 0 problems\./);
  expect(readdirSync(join(folder.path, 'backup'))).toEqual([
    expect.stringMatching(/^gate-.+\.db$/),
    'ticketscan.keyring.json',
  ]);
});

async function tablesOf(path: string): Promise<unknown[]> {
  await (await openStore(`sqlite:${path}`)).close();
  const database = new DatabaseSync(path, { readOnly: true });
  const rows = database.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY name').all();
  database.close();
  return rows;
}

async function columnsOf(url: string): Promise<unknown[]> {
  await (await openStore(url)).close();
  const { rows } = await execute(
    `SELECT table_name, column_name, data_type, is_nullable, column_default, identity_generation
      FROM information_schema.columns
      WHERE table_schema = current_schema() AND table_name NOT LIKE 'scan_log_%' ORDER BY 1, 2`,
    url,
  );
  return rows;
}
