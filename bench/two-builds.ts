import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { inTurns, ratioOf } from './lib/in-turns.ts';
import { load, median } from './lib/load.ts';
import { processorSeconds } from './lib/processor-seconds.ts';
import { startServer } from './lib/servers.ts';

/**
 * The start of `serve` and durable consume, of this build against those of another checkout, in turns (A B A B), each on a store
 * that it seeded itself, in its own format, with the same number of tickets: whether a change cost anything. The checkouts must be built. A second
 * server of this build shows what is noise: its ratio to the first would be 1.00 on a quiet machine. On a busy one compare
 * the processor time of a scan: that of the server's process with all its threads, which waiting does not count in.
 * Usage: node bench/two-builds.ts OTHER-CHECKOUT [rounds] [seconds a turn]
 */
const [other, rounds = '7', seconds = '4'] = process.argv.slice(2);
if (other === undefined) {
  console.error('Say which other checkout: node bench/two-builds.ts ../main');
  process.exit(2);
}
const TICKETS_PER_STATE = 1000;
const UNLIMITED = ['--rate', '1000000', '--burst', '1000000', '--quota', '1000000000'];
const CONNECTIONS = 256;
/** The starts in each round: one takes a quarter of a second. */
const STARTS = 3;

const folder = mkdtempSync(join(tmpdir(), 'ticketscan-bench-'));
const stops: (() => Promise<void>)[] = [];
try {
  const builds = { this: seeded('.'), again: seeded('.'), other: seeded(other) };
  const starts = { this: [], again: [], other: [] } as Record<keyof typeof builds, number[]>;
  for (let round = 0; round < Number(rounds) * STARTS; round += 1) {
    for (const name of ['this', 'again', 'other'] as const) {
      starts[name].push(await startOf(builds[name]));
    }
  }
  const toThis = (others: readonly number[]) =>
    median(starts.this.map((ms, round) => ms / (others[round] ?? Number.NaN)));
  show('start of serve, this build / the other', toThis(starts.other));
  show('start of serve, this build / itself', toThis(starts.again));
  const runs = {
    this: await runOf(builds.this),
    again: await runOf(builds.again),
    other: await runOf(builds.other),
  };
  const turns = await inTurns(runs, Number(rounds));
  show('this build / the other', ratioOf(turns.this, turns.other));
  show('this build / itself (noise)', ratioOf(turns.this, turns.again));
  show(
    'p99 of this build / of the other',
    ratioOf(turns.this, turns.other, (one) => one.p99Ms),
  );
  const processorTime = (one: Awaited<ReturnType<typeof runs.this>>) => one.microsecondsPerScan;
  for (const [name, { results }] of Object.entries(turns)) {
    show(`processor time of a scan, ${name} (µs)`, median(results.map(processorTime)));
  }
  show('processor time, this build / the other', ratioOf(turns.this, turns.other, processorTime));
  show('processor time, this build / itself', ratioOf(turns.this, turns.again, processorTime));
} finally {
  for (const stop of stops) await stop();
  rmSync(folder, { recursive: true, force: true });
}

interface Build {
  /** The arguments of Node that serve its store. */
  readonly serve: readonly string[];
  readonly key: string;
  readonly codesFile: string;
}

/** The codes are of permanent cards. */
function seeded(checkout: string): Build {
  const own = mkdtempSync(join(folder, 'build-'));
  const program = join(resolve(checkout), 'bin/ticketscan.js');
  const store = ['--store', `sqlite:${join(own, 'ticketscan.db')}`];
  const count = ['--count', String(TICKETS_PER_STATE)];
  const args = [program, 'seed', '--json', ...store, ...count, ...UNLIMITED];
  const target = execFileSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 2 ** 26 });
  const { keys, tickets } = JSON.parse(target) as {
    keys: { rest: string };
    // a checkout of before may write codes only
    tickets: { permanent: (string | { code: string })[] };
  };
  const codesFile = join(own, 'codes.txt');
  writeFileSync(
    codesFile,
    `${tickets.permanent.map((one) => (typeof one === 'string' ? one : one.code)).join('\n')}\n`,
  );
  const serve = [program, 'serve', ...store, '--port', '0', '--json'];
  return { serve, key: keys.rest, codesFile };
}

/** Milliseconds until it listens. */
async function startOf({ serve }: Build): Promise<number> {
  const startedAt = performance.now();
  const { stop } = await startServer(serve);
  const ms = performance.now() - startedAt;
  await stop();
  return ms;
}

async function runOf({ serve, key, codesFile }: Build) {
  const { url, process: server, stop } = await startServer(serve);
  stops.push(stop);
  const asked = { url, key, codesFile, connections: CONNECTIONS, seconds: Number(seconds) };
  return async () => {
    const before = processorSeconds([server.pid ?? 0]);
    const result = await load(asked);
    const spent = processorSeconds([server.pid ?? 0]) - before;
    return { ...result, microsecondsPerScan: (spent / result.requests) * 1e6 };
  };
}

function show(what: string, ratio: number): void {
  console.log(`${what.padEnd(40)} ${ratio.toFixed(2).padStart(10)}`);
}
