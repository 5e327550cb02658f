import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PostgresCluster } from '../test/support/postgres/cluster.ts';
import { load, median } from './lib/load.ts';
import {
  measurePgbench,
  newDatabase,
  PGBENCH_FORMS,
  settle,
  storeAlone,
  withCluster,
} from './lib/postgres-load.ts';
import { loadTickets, startTicketscan } from './lib/servers.ts';

/**
 * Durable consume on PostgreSQL, in turns with its references: over HTTP with SQLite, the store alone with pgbench's one
 * statement in a transaction of its own (from counting alone up to all that a scan writes), and many tickets with few.
 * Everything runs on this machine, so only ratios mean anything. Arguments: rounds (5), seconds a turn (4), tickets of the large store (10,000,000), of the small (10,000).
 */
const rounds = Number(process.argv[2] ?? 5);
const seconds = Number(process.argv[3] ?? 4);
const large = Number(process.argv[4] ?? 10_000_000);
const small = Number(process.argv[5] ?? 10_000);
const CONNECTIONS = 256;
const CALLERS = 64;
const CODES = 10_000;

const folder = mkdtempSync(join(tmpdir(), 'ticketscan-bench-'));
try {
  await withCluster(async (cluster) => {
    await compareStores(cluster);
    await compareHttp(cluster);
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function compareStores(cluster: PostgresCluster): Promise<void> {
  const store = await storeAlone(cluster, small);
  const pgbench = await measurePgbench(cluster, small);
  await store.run(CALLERS, 1);
  const ratios = PGBENCH_FORMS.map((form) => ({ form, of: [] as number[] }));
  for (let round = 1; round <= rounds; round += 1) {
    const batched = await store.run(CALLERS, seconds);
    const singles = [];
    for (const { form, of } of ratios) {
      const single = await pgbench(form, CALLERS, seconds);
      of.push(batched / single);
      singles.push(`pgbench (${form}) ${single.toFixed(0)}/s`);
    }
    console.log(`round ${round}: store alone ${batched.toFixed(0)}/s, ${singles.join(', ')}`);
  }
  for (const { form, of } of ratios) {
    console.log(
      `store alone / pgbench (${form}), ${CALLERS} callers: ${median(of).toFixed(2)} (median of ${rounds})`,
    );
  }
  await store.close();
}

async function compareHttp(cluster: PostgresCluster): Promise<void> {
  const sides = {
    sqlite: await side('sqlite', small),
    few: await side('few', small, await newDatabase(cluster, 'few')),
    many: await side('many', large, await newDatabase(cluster, 'many')),
  };
  for (const { run } of Object.values(sides)) await run();
  const ratios = { postgres: [] as number[], many: [] as number[] };
  for (let round = 1; round <= rounds; round += 1) {
    const sqlite = await sides.sqlite.run();
    const few = await sides.few.run();
    const many = await sides.many.run();
    ratios.postgres.push(few / sqlite);
    ratios.many.push(many / few);
    const rates = [sqlite, few, many].map((rate) => `${rate.toFixed(0)}/s`);
    console.log(
      `round ${round}: SQLite ${rates[0]}, Postgres ${rates[1]}, of ${large} tickets ${rates[2]}`,
    );
  }
  console.log(
    `consume on Postgres / on SQLite:      ${median(ratios.postgres).toFixed(2)} (median of ${rounds})`,
  );
  console.log(`${large} tickets / ${small} tickets:     ${median(ratios.many).toFixed(2)}`);
  for (const { stop } of Object.values(sides)) await stop();
}

async function side(name: string, tickets: number, store?: string) {
  const place = mkdtempSync(join(folder, `${name}-`));
  const { key, codes, loadSeconds } = await loadTickets(place, tickets, CODES, store);
  console.log(`${name}: ${tickets} tickets loaded in ${loadSeconds.toFixed(1)} s`);
  if (store) await settle(store);
  const codesFile = join(place, 'codes.txt');
  writeFileSync(codesFile, `${codes.join('\n')}\n`);
  const server = await startTicketscan(place, store);
  const options = { url: server.url, key, codesFile, connections: CONNECTIONS, seconds };
  return { run: async () => (await load(options)).requestsPerSecond, stop: () => server.stop() };
}
