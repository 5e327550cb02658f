import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { MIGRATIONS } from '../src/service/stores/postgres/migrations.ts';
import {
  FORMATS,
  KEPT_STORES,
  type KeptEngine,
  type KeptFacts,
  keepFile,
  lookAt,
} from '../test/stores/support/kept-store.ts';
import { consume, presentCard } from '../test/support/cli.ts';
import { PostgresCluster } from '../test/support/postgres/cluster.ts';
import { postAdmin, RemoteFolder, signIn } from '../test/support/remote.ts';

/*
 * Makes a store of each engine whose current format is not in test/stores/formats yet, with the built program, and keeps it
 * there for later programs to open.
 */

const KEYRING = 'ticketscan.keyring.json';

await using cluster = await PostgresCluster.start({ fsync: 'off' });
await keepStore('sqlite', 'sqlite:./ticketscan.db', ['ticketscan.db', 'ticketscan.db-wal']);
await keepStore('json', 'json:./ticketscan.json', ['ticketscan.json', 'ticketscan.json.log']);
await keepStore('postgres', cluster.url(), []);

async function keepStore(engine: KeptEngine, url: string, files: string[]): Promise<void> {
  const target = join(KEPT_STORES, `${engine}-${FORMATS[engine]}`);
  if (existsSync(target)) return console.log(`${target} exists already`);
  process.env['TICKETSCAN_STORE'] = url;
  await using folder = await RemoteFolder.start(2);
  await useStore(folder);
  const seen = await lookAt(folder.server.url, { authorization: `Bearer ${folder.token}` });
  // As a power cut leaves it: the last uses are in a log beside the data.
  await folder.server.stop('SIGKILL');

  mkdirSync(target, { recursive: true });
  if (engine === 'postgres') {
    files.push('store.sql');
    writeFileSync(join(folder.cli.path, 'store.sql'), await sqlOf(url));
  }
  for (const file of [...files, KEYRING]) keepFile(join(folder.cli.path, file), target);
  const { tickets, scans } = await folder.cli.json(['audit']);
  const { keys, tickets: codes } = folder.target;
  const facts: KeptFacts = {
    keys,
    codes: Object.fromEntries(Object.entries(codes).map(([state, [code = '']]) => [state, code])),
    seen,
    audit: { tickets, scans },
  };
  writeFileSync(join(folder.cli.path, 'facts.json'), `${JSON.stringify(facts, null, 2)}\n`);
  keepFile(join(folder.cli.path, 'facts.json'), target);
  console.log(`${target}: ${tickets} tickets, ${scans} scans`);
}

/** Something of everything that a store holds. */
async function useStore({ server: { url }, target: { keys, tickets }, cli, token }: RemoteFolder) {
  const [multi = ''] = tickets['multi'] ?? [];
  const [rest = '', hardware = ''] = [keys['rest'], keys['hardware']];
  for (const state of ['multi', 'multi', 'personalised', 'cancelled', 'otherEvent'])
    await consume(url, rest, tickets[state]?.[0] ?? '');
  await consume(url, rest, `${multi}x`);
  await presentCard(url, hardware, multi);
  await fetch(`${url}/scan/hw/heartbeat?key=${hardware}`, {
    method: 'POST',
    body: JSON.stringify({ Key: '1', Serial: '1', Ver: '2.0' }),
  });
  await fetch(`${url}/scan/consume`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': rest, 'idempotency-key': 'once' },
    body: JSON.stringify({ ticketCode: tickets['permanent']?.[0] }),
  });

  const cookie = await signIn(url);
  const environment = { TICKETSCAN_URL: url, TICKETSCAN_TOKEN: token };
  const [event] = await remoteJson(['events', 'list', '--json']);
  const wanted = { event: event.id, type: 'multi', uses: 5, holder: { lastName: 'Łukasiewicz' } };
  await postAdmin(url, '/tickets', { ...wanted, validFrom: '2026-01-01T00:00:00.000Z' }, cookie);
  await cli.run(['keys', 'edit', 'Gates', '--open-seconds', '8', '--relay', 'out'], environment);

  // biome-ignore lint/suspicious/noExplicitAny: whatever the command printed
  async function remoteJson(args: string[]): Promise<any> {
    return JSON.parse((await cli.run(args, environment)).out);
  }
}

/** A database as one script that makes it again in an empty schema, as it was, whatever later migrations look like. */
async function sqlOf(url: string): Promise<string> {
  const client = new pg.Client(url);
  await client.connect();
  const rows = async (sql: string) => (await client.query(sql)).rows;
  const script = [
    ...MIGRATIONS,
    'CREATE TABLE ticketscan_schema (only_row integer PRIMARY KEY CHECK (only_row = 1), version integer NOT NULL);',
  ];
  const tables = await rows(
    `SELECT relname AS name, pg_get_expr(relpartbound, oid) AS bound FROM pg_class
      WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') ORDER BY oid`,
  );
  for (const { name, bound } of tables.filter((table) => table.bound !== null))
    script.push(`CREATE TABLE ${name} PARTITION OF scan_log ${bound};`);
  for (const { name } of tables.filter((table) => table.bound === null)) {
    const [data] = await rows(`SELECT coalesce(json_agg(t), '[]')::text AS text FROM ${name} t`);
    script.push(
      `DELETE FROM ${name};`,
      `INSERT INTO ${name} OVERRIDING SYSTEM VALUE SELECT * FROM json_populate_recordset(NULL::${name}, $kept$${data.text}$kept$);`,
    );
  }
  const sequences = await rows(
    'SELECT sequencename AS name, last_value AS last FROM pg_sequences WHERE schemaname = current_schema() AND last_value IS NOT NULL',
  );
  for (const { name, last } of sequences) script.push(`SELECT setval('${name}', ${last});`);
  await client.end();
  return `${script.join('\n')}\n`;
}
