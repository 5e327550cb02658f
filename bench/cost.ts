import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from './lib/load.ts';
import { loadTickets, startTicketscan } from './lib/servers.ts';

/**
 * What docs/scaling.md reckons with: processor time, disk and memory that a server on SQLite takes for each consume and each
 * ticket, durable, over HTTP. Processor time says more than requests a second where other programs run as well.
 * Arguments: tickets (200,000), seconds (8).
 */
const tickets = Number(process.argv[2] ?? 200_000);
const seconds = Number(process.argv[3] ?? 8);
const CONNECTIONS = 64;
/** Of /proc: `getconf CLK_TCK` on Linux. */
const TICKS_PER_SECOND = 100;

const folder = mkdtempSync(join(tmpdir(), 'ticketscan-bench-'));
try {
  const { key, codes } = await loadTickets(folder, tickets, 10_000);
  const store = join(folder, 'ticketscan.db');
  const before = statSync(store).size;
  console.log(`disk a ticket: ${Math.round(before / tickets)} bytes`);
  const codesFile = join(folder, 'codes.txt');
  writeFileSync(codesFile, `${codes.join('\n')}\n`);
  const server = await startTicketscan(folder);
  const shape = { url: server.url, key, codesFile, connections: CONNECTIONS };
  await load({ ...shape, seconds: 2 });
  const start = processorSeconds(server.process.pid);
  const { requestsPerSecond } = await load({ ...shape, seconds });
  const used = processorSeconds(server.process.pid) - start;
  const scans = requestsPerSecond * seconds;
  console.log(`processor a consume: ${((used / scans) * 1e6).toFixed(0)} µs`);
  console.log(`consumes a second in this run: ${requestsPerSecond.toFixed(0)}`);
  console.log(`memory: ${residentMegabytes(server.process.pid)} MB with ${tickets} tickets`);
  await server.stop();
  const logged = requestsPerSecond * (seconds + 2);
  const grown = statSync(store).size - before;
  console.log(`disk a log entry: about ${Math.round(grown / logged)} bytes`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function processorSeconds(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

function residentMegabytes(pid: number | undefined): number {
  const line = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Math.round(Number(line?.[1]) / 1024);
}
