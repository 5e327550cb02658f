import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inTurns, ratioOf } from './lib/in-turns.ts';
import { type LoadResult, load } from './lib/load.ts';
import { PEERS } from './lib/peers.ts';
import { loadTickets, type Running, startTicketscan } from './lib/servers.ts';

/**
 * Durable consumes on SQLite against what people use as a stand-in today: each peer gives the same fixed answer, keeps
 * nothing and decides nothing. Needs wrk and, for WireMock, Java; the peers are
 * installed on first use.
 * Usage: node bench/peers.ts [rounds] [seconds a turn] [connections]
 */
const rounds = Number(process.argv[2] ?? 3);
const seconds = Number(process.argv[3] ?? 4);
const connections = Number(process.argv[4] ?? 64);
const TICKETS = 10_000;

const folder = mkdtempSync(join(tmpdir(), 'ticketscan-bench-'));
const started: Running[] = [];
try {
  const { key, codes } = await loadTickets(folder, TICKETS, TICKETS);
  const codesFile = join(folder, 'codes.txt');
  writeFileSync(codesFile, `${codes.join('\n')}\n`);
  const own = await startTicketscan(folder);
  started.push(own);
  const peers = await Promise.all(
    PEERS.map(async ({ name, start }) => {
      const server = await start(folder);
      started.push(server);
      return { name, server };
    }),
  );
  const run = (url: string) => () => load({ url, key, codesFile, connections, seconds });
  const runs: Record<string, () => Promise<LoadResult>> = { ticketscan: run(own.url) };
  for (const { name, server } of peers) runs[name] = run(server.url);
  const turns = await inTurns(runs, rounds);
  const { ticketscan } = turns;
  if (!ticketscan) throw new Error('ticketscan was not measured');
  console.log(`${connections} connections, medians of ${rounds} rounds of ${seconds} s in turns`);
  show('ticketscan, durable consumes a second', ticketscan.rate.toFixed(0));
  for (const { name } of peers) {
    const turn = turns[name];
    if (!turn) continue;
    show(`${name}, fixed answers a second`, turn.rate.toFixed(0));
    show(`  ticketscan / ${name}`, ratioOf(ticketscan, turn).toFixed(2));
  }
} finally {
  await Promise.all(started.map((server) => server.stop()));
  rmSync(folder, { recursive: true, force: true });
}

function show(what: string, value: string): void {
  console.log(`  ${what.padEnd(42)} ${value.padStart(8)}`);
}
