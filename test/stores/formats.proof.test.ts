import { execFile } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DOCUMENT_FORMAT } from '../../src/stores/json/document.ts';
import { openStore } from '../../src/stores/open-store.ts';
import { migrate, MIGRATIONS as POSTGRES } from '../../src/stores/postgres/migrations.ts';
import { backupDatabase } from '../../src/stores/sqlite/backup.ts';
import { MIGRATIONS as SQLITE } from '../../src/stores/sqlite/migrations.ts';
import { openDatabase } from '../../src/stores/sqlite/open-database.ts';
import { CliFolder, PROGRAM } from '../support/cli.ts';
import { execute, postgresSchema } from '../support/postgres/schema.ts';
import { LASTING_STORES, TestStore } from '../support/stores.ts';

const APPLICATION_ID = 0x7473636e;
/** What a later program could add to a ticket. */
const NEXT = 'ALTER TABLE ticket ADD COLUMN shelf TEXT';
const NEXT_SQLITE = { migrations: [...SQLITE, NEXT] };

const UNRELEASED = {
  code: 'store_damaged',
  message: expect.stringMatching(
    /was never released.*ticketscan tickets import.*Nothing was changed/s,
  ),
};

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ticketscan-formats-'));
  path = join(folder, 'store.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const file = (gate: TestStore) => gate.url.replace(/^\w+:/, '');

/** A closed store of this program, with a ticket that was used. */
async function usedStore(): Promise<string> {
  const gate = await TestStore.openAt({ url: `sqlite:${path}` }, folder);
  const { id } = await gate.mint();
  await gate.scan(gate.request(id));
  await gate.store.close();
  return id;
}

const versionOf = (database: DatabaseSync) =>
  database.prepare('PRAGMA user_version').get()?.['user_version'];

describe('a later program', () => {
  test('migrates a SQLite store, and leaves a copy of what it was', async () => {
    const id = await usedStore();

    const { database, versionFound } = openDatabase(path, NEXT_SQLITE);
    const shelves = database.prepare('SELECT id, shelf FROM ticket').all();
    database.close();

    const copy = new DatabaseSync(`${path}.format-1`, { readOnly: true });
    const found = {
      mode: statSync(`${path}.format-1`).mode & 0o777,
      application: copy.prepare('PRAGMA application_id').get(),
      version: versionOf(copy),
      uses: copy.prepare('SELECT id, uses_consumed FROM ticket_record').all(),
      shelf: copy.prepare("SELECT 1 FROM pragma_table_info('ticket') WHERE name = 'shelf'").all(),
    };
    copy.close();
    expect({ versionFound, shelves }).toEqual({ versionFound: 1, shelves: [{ id, shelf: null }] });
    expect(found).toEqual({
      mode: 0o600,
      application: { application_id: APPLICATION_ID },
      version: 1,
      uses: [{ id, uses_consumed: 1 }],
      shelf: [],
    });
    expect(readdirSync(folder)).toEqual(['store.db', 'store.db.format-1']);
    await expect(openStore(`sqlite:${path}`)).rejects.toMatchObject({
      code: 'store_newer',
      message: expect.stringMatching(/newer ticketscan.*its format is 2.*supports 1/),
    });
    const again = await openStore(`sqlite:${path}.format-1`);
    expect(await again.findTicket(id)).toMatchObject({ usesConsumed: 1 });
    await again.close();
  });

  test('leaves a store alone that another program has open', async () => {
    await usedStore();
    const server = new DatabaseSync(path);
    server.prepare('SELECT id FROM api_key').all();

    expect(() => openDatabase(path, NEXT_SQLITE)).toThrow(
      expect.objectContaining({
        code: 'store_busy',
        message: expect.stringContaining('Stop that program (ticketscan serve) first'),
      }),
    );

    expect(versionOf(server)).toBe(1);
    server.close();
    const first = openDatabase(path, NEXT_SQLITE).database;
    // And the file is shared again.
    openDatabase(path, NEXT_SQLITE).database.close();
    first.close();
  });

  test('keeps three copies of earlier formats', async () => {
    await usedStore();
    for (const version of [-2, -1, 0]) writeFileSync(`${path}.format-${version}`, '');

    openDatabase(path, NEXT_SQLITE).database.close();

    expect(readdirSync(folder).sort()).toEqual([
      'store.db',
      ...[-1, 0, 1].map((n) => `store.db.format-${n}`),
    ]);
  });

  test('changes nothing without room for the copy', async () => {
    await usedStore();
    mkdirSync(`${path}.format-1`);

    expect(() => openDatabase(path, NEXT_SQLITE)).toThrow(
      expect.objectContaining({
        code: 'store_unavailable',
        message: expect.stringContaining('The store was not changed.'),
      }),
    );

    expect(readdirSync(folder)).toEqual(['store.db', 'store.db.format-1']);
    await (await openStore(`sqlite:${path}`)).close();
  });

  test('does not migrate where it only looks', async () => {
    await usedStore();

    expect(() => openDatabase(path, { ...NEXT_SQLITE, keepFormat: true })).toThrow(
      expect.objectContaining({
        code: 'store_unavailable',
        message: expect.stringMatching(/earlier format 1.*uses format 2.*ticketscan store migrate/),
      }),
    );

    expect(readdirSync(folder)).toEqual(['store.db']);
    await (await openStore(`sqlite:${path}`)).close();
  });

  test('migrates a PostgreSQL store once, and refuses where it only looks', async () => {
    await using gate = await TestStore.openUntouched('postgres');
    const { id } = await gate.mint();
    const migrations = [...POSTGRES, NEXT];
    const as = async (work: (client: pg.Client) => Promise<number>) => {
      const client = new pg.Client(gate.url);
      await client.connect();
      return work(client).finally(() => client.end());
    };

    await expect(as((one) => migrate(one, { keepFormat: true }, migrations))).rejects.toMatchObject(
      { message: expect.stringMatching(/earlier format 1.*ticketscan store migrate/) },
    );
    const found = await Promise.all([1, 2, 3].map(() => as((one) => migrate(one, {}, migrations))));

    expect(found.toSorted()).toEqual([1, 2, 2]);
    expect((await execute('SELECT id, shelf FROM ticket', gate.url)).rows).toEqual([
      { id, shelf: null },
    ]);
    await expect(openStore(gate.url)).rejects.toMatchObject({ code: 'store_newer' });
    await expect(gate.store.checkWritable()).rejects.toMatchObject({ code: 'store_newer' });
  });
});

/** Makes a store look as programs before the first release left it. */
const AS_BEFORE: Readonly<Record<string, (gate: TestStore) => Promise<unknown>>> = {
  sqlite: async (gate) => {
    const database = new DatabaseSync(file(gate));
    database.exec('DROP TABLE store_format; PRAGMA user_version = 7');
    database.close();
  },
  json: async (gate) => {
    const text = readFileSync(file(gate), 'utf8');
    writeFileSync(file(gate), text.replace('"format": 1', '"version": 1'));
  },
  postgres: (gate) =>
    execute(
      'ALTER TABLE ticketscan_schema DROP COLUMN fingerprint; UPDATE ticketscan_schema SET version = 4',
      gate.url,
    ),
};

describe.each(LASTING_STORES)('a %s store of a program that was never released', (engine) => {
  test('is refused in plain words', async () => {
    await using gate = await TestStore.openUntouched(engine);
    if (engine !== 'postgres') await gate.store.close();
    await AS_BEFORE[engine]?.(gate);

    await expect(openStore(gate.url)).rejects.toMatchObject(UNRELEASED);
    await expect(openStore(gate.url, { keepFormat: true })).rejects.toMatchObject(UNRELEASED);
  });
});

test('a database of another baseline with the same number is refused, and not backed up', async () => {
  openDatabase(path, { migrations: [`${SQLITE[0]}; ${NEXT}`] }).database.close();
  const before = readFileSync(path);
  const backup = () =>
    backupDatabase(path, join(folder, 'backup.db'), join(folder, '.tmp'), () => {});

  await expect(openStore(`sqlite:${path}`)).rejects.toMatchObject(UNRELEASED);
  await expect(backup()).rejects.toMatchObject({
    ...UNRELEASED,
    message: expect.stringContaining(path),
  });

  expect(readFileSync(path)).toEqual(before);
  expect(readdirSync(folder)).toEqual(['store.db']);
  const empty = await postgresSchema();
  const client = new pg.Client(empty.url);
  await client.connect();
  await migrate(client, {}, [`${POSTGRES[0]}; ${NEXT}`]);
  await client.end();
  await expect(openStore(empty.url)).rejects.toMatchObject(UNRELEASED);
  await empty.remove();
});

test('commands say what the store is and what to do, and leave it as it is', async () => {
  await using cli = new CliFolder();
  await cli.run(['events', 'create', '--name', 'Pool']);
  const database = new DatabaseSync(join(cli.path, 'ticketscan.db'));
  database.exec('DROP TABLE store_format');
  database.close();

  for (const args of [['store', 'info'], ['store', 'migrate'], ['events', 'list'], ['audit']]) {
    const { code, out, err } = await cli.run(args);
    expect({ code, out }, args.join(' ')).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/ticketscan\.db was written by a version of ticketscan that was never/);
  }
  const { code, out } = await cli.run(['doctor', '--port', '0']);
  expect(code).toBe(1);
  expect(out).toContain('was never released');
});

test('the changelog and the page on upgrading name the formats of this program', () => {
  const line = `Store formats: SQLite ${SQLITE.length}, PostgreSQL ${POSTGRES.length}, JSON ${DOCUMENT_FORMAT}.`;
  expect(readFileSync('CHANGELOG.md', 'utf8').split('\n## ')[1]).toContain(line);
  expect(readFileSync('docs/gate/upgrade.md', 'utf8')).toContain(line);
});

test('the commands in short of the page on upgrading work as they are written', async () => {
  await using cli = new CliFolder();
  await cli.run(['seed', '--count', '10', '--out', 'target.json']);
  const block = readFileSync('docs/gate/upgrade.md', 'utf8').split(/```(?:sh\n)?/)[1] ?? '';
  const script = `set -e; mkdir backup; ticketscan() { "${process.execPath}" "${PROGRAM}" "$@"; }
${block.replaceAll('/backup/', 'backup/')}`;

  const { stdout } = await promisify(execFile)('bash', ['-c', script], {
    cwd: cli.path,
    env: { ...process.env, TICKETSCAN_PORT: '0' },
  });

  expect(stdout).toContain(`Format ${SQLITE.length} is up to date.`);
  expect(stdout).toMatch(/Sound: \d+ tickets, \d+ scans, 0 problems\./);
  expect(readdirSync(join(cli.path, 'backup'))).toEqual([
    expect.stringMatching(/^gate-.+\.db$/),
    'ticketscan.keyring.json',
  ]);
});
