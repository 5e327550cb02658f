import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inTurns, ratioOf } from './lib/in-turns.ts';
import { load } from './lib/load.ts';
import { loadTickets, type Running, startTicketscan } from './lib/servers.ts';

/**
 * What many tickets cost on SQLite: time to load them, bytes on disk, resident memory of a server that scans all over
 * them, and consumes a second against a store of ten thousand, in turns.
 * Usage: node bench/tickets.ts [rounds] [seconds a turn] [sizes…]
 */
const [rounds = 3, seconds = 3, ...sizes] = process.argv.slice(2).map(Number);
const SMALL = 10_000;
const CODES = 10_000;
const CONNECTIONS = 256;

const folder = mkdtempSync(join(tmpdir(), 'ticketscan-bench-'));
try {
  const small = await storeOf(SMALL, 'small');
  for (const size of sizes.length > 0 ? sizes : [100_000, 1_000_000]) {
    const large = await storeOf(size, String(size));
    const turns = await inTurns({ small: small.run, large: large.run }, rounds);
    const bytes = statSync(join(large.folder, 'ticketscan.db')).size;
    console.log(`${size} tickets`);
    show('loaded in', `${large.loadSeconds.toFixed(1)} s`);
    show('on disk, each', `${(bytes / size).toFixed(0)} bytes`);
    show('resident while scanned', `${residentMib(large.server).toFixed(0)} MiB`);
    show(`consumes / those of ${SMALL}`, ratioOf(turns.large, turns.small).toFixed(2));
    await large.server.stop();
    rmSync(large.folder, { recursive: true });
  }
  await small.server.stop();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function storeOf(tickets: number, name: string) {
  const own = mkdtempSync(join(folder, `${name}-`));
  const { key, codes, loadSeconds } = await loadTickets(own, tickets, CODES);
  const codesFile = join(own, 'codes.txt');
  writeFileSync(codesFile, `${codes.join('\n')}\n`);
  const server = await startTicketscan(own);
  const { url } = server;
  const run = () => load({ url, key, codesFile, connections: CONNECTIONS, seconds });
  return { folder: own, server, loadSeconds, run };
}

function residentMib({ process: { pid } }: Running): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

function show(what: string, value: string): void {
  console.log(`  ${what.padEnd(40)} ${value.padStart(10)}`);
}
