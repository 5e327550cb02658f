import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inTurns, ratioOf } from './lib/in-turns.ts';
import { load, median } from './lib/load.ts';
import { loadTickets, type Running, startServer, startTicketscan } from './lib/servers.ts';
import { threadTime, timeBetween } from './lib/thread-time.ts';

/**
 * Durable consume and validate over HTTP on SQLite, against an empty Fastify route with the same body and answer and
 * against the same route with its replies in bursts. Needs wrk (Debian: apt-get install wrk).
 * Usage: node bench/consume.ts [rounds] [seconds a turn] [connections]
 */
const rounds = Number(process.argv[2] ?? 5);
const seconds = Number(process.argv[3] ?? 3);
const connections = Number(process.argv[4] ?? 256);
const TICKETS = 10_000;

const folder = mkdtempSync(join(tmpdir(), 'ticketscan-bench-'));
try {
  const { key, codes } = await loadTickets(folder, TICKETS, TICKETS);
  const codesFile = join(folder, 'codes.txt');
  writeFileSync(codesFile, `${codes.join('\n')}\n`);
  const empty = await startServer(['bench/lib/empty-route.ts']);
  const burst = await startServer(['bench/lib/burst-route.ts']);
  const own = await startTicketscan(folder);
  const run = ({ url, process }: Running, action: 'consume' | 'validate' = 'consume') => {
    return async () => {
      const before = threadTime(process.pid ?? 0);
      const result = await load({ url, key, codesFile, connections, seconds, action });
      const spent = timeBetween(before, threadTime(process.pid ?? 0));
      const each = (time: number) => (time / result.requests) * 1e6;
      return { ...result, all: each(spent.all), http: each(spent.http), store: each(spent.store) };
    };
  };
  const turns = await inTurns(
    {
      'empty route': run(empty),
      consume: run(own),
      'burst route': run(burst),
      validate: run(own, 'validate'),
    },
    rounds,
  );
  const { consume, validate } = turns;
  console.log(`${connections} connections, medians of ${rounds} rounds of ${seconds} s in turns`);
  for (const [name, { rate }] of Object.entries(turns)) show(`${name}, a second`, rate.toFixed(0));
  show('durable consume / empty Fastify route', ratioOf(consume, turns['empty route']).toFixed(2));
  show('durable consume / Fastify in bursts', ratioOf(consume, turns['burst route']).toFixed(2));
  show('validate / empty Fastify route', ratioOf(validate, turns['empty route']).toFixed(2));
  show(
    'p99 of consume / p99 of empty route',
    ratioOf(consume, turns['empty route'], ({ p99Ms }) => p99Ms).toFixed(2),
  );
  const ofEmpty = turns['empty route'];
  show(
    'processor time of consume / of empty route',
    ratioOf(consume, ofEmpty, ({ all }) => all).toFixed(2),
  );
  showTime(
    'processor time of the empty route',
    ofEmpty.results.map(({ all }) => all),
  );
  showTime(
    'HTTP thread of consume',
    consume.results.map(({ http }) => http),
  );
  showTime(
    'store thread of consume',
    consume.results.map(({ store }) => store),
  );
  await Promise.all([empty, burst, own].map((server) => server.stop()));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function show(what: string, value: string): void {
  console.log(`  ${what.padEnd(44)} ${value.padStart(8)}`);
}

/** @param each microseconds a request, of each round */
function showTime(what: string, each: readonly number[]): void {
  show(`${what}, µs`, median(each).toFixed(1));
}
