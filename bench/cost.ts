import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { load } from './lib/load.ts';
import { newDatabase, settle, withCluster } from './lib/postgres-load.ts';
import { processorSeconds } from './lib/processor-seconds.ts';
import { loadTickets, startTicketscan } from './lib/servers.ts';

/**
 * What docs/gate/scaling.md reckons with: processor time, disk and memory that a server takes for each consume and each ticket,
 * durable, over HTTP, on SQLite and on PostgreSQL. Processor time says more than requests a second where other programs
 * run as well.
 * Arguments: tickets (200,000), seconds (8).
 */
const tickets = Number(process.argv[2] ?? 200_000);
const seconds = Number(process.argv[3] ?? 8);
const CONNECTIONS = 64;
const CODES = 10_000;
const WARM_UP_SECONDS = 2;

interface Place {
  readonly name: string;
  readonly folder: string;
  /** As for `startTicketscan`. */
  readonly store?: string;
  /** Bytes that the store takes on the disk. */
  size(): Promise<number>;
  /** Processes of the database, besides the server's own. */
  others(): readonly number[];
}

const folder = mkdtempSync(join(tmpdir(), 'ticketscan-bench-'));
try {
  const file = join(folder, 'ticketscan.db');
  await measure({
    name: 'SQLite',
    folder,
    size: async () => statSync(file).size,
    others: () => [],
  });
  await withCluster(async (cluster) => {
    const store = await newDatabase(cluster, 'cost');
    await measure({
      name: 'PostgreSQL',
      folder: mkdtempSync(join(folder, 'postgres-')),
      store,
      size: () => databaseSize(store),
      others: () => cluster.processes(),
    });
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measure(place: Place): Promise<void> {
  const { key, codes } = await loadTickets(place.folder, tickets, CODES, place.store);
  if (place.store) await settle(place.store);
  const before = await place.size();
  const codesFile = join(place.folder, 'codes.txt');
  writeFileSync(codesFile, `${codes.join('\n')}\n`);
  const server = await startTicketscan(place.folder, place.store);
  const shape = { url: server.url, key, codesFile, connections: CONNECTIONS };
  await load({ ...shape, seconds: WARM_UP_SECONDS });
  const pid = server.process.pid ?? 0;
  const start = processorSeconds([pid]);
  const startOfOthers = processorSeconds(place.others());
  const { requestsPerSecond } = await load({ ...shape, seconds });
  const used = processorSeconds([pid]) - start;
  const usedByOthers = processorSeconds(place.others()) - startOfOthers;
  const scans = requestsPerSecond * seconds;
  const memory = residentMegabytes(pid);
  await server.stop();
  const grown = (await place.size()) - before;
  console.log(`${place.name}, ${tickets} tickets, ${CONNECTIONS} connections`);
  console.log(`  processor a consume: ${((used / scans) * 1e6).toFixed(0)} µs`);
  if (usedByOthers > 0)
    console.log(`  and of the database: ${((usedByOthers / scans) * 1e6).toFixed(0)} µs`);
  console.log(`  consumes a second:   ${requestsPerSecond.toFixed(0)}`);
  console.log(`  memory:              ${memory} MB`);
  console.log(`  disk a ticket:       ${Math.round(before / tickets)} bytes`);
  const logged = requestsPerSecond * (seconds + WARM_UP_SECONDS);
  console.log(`  disk a log entry:    about ${Math.round(grown / logged)} bytes`);
}

async function databaseSize(url: string): Promise<number> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query<{ size: string }>(
    'SELECT pg_database_size(current_database()) AS size',
  );
  await client.end();
  return Number(rows[0]?.size);
}

function residentMegabytes(pid: number): number {
  const line = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Math.round(Number(line?.[1]) / 1024);
}
