import { rmSync } from 'node:fs';
import type { RecordLine } from '../history/record.ts';
import { ENGINES, type Part } from '../part.ts';
import { mustHold } from '../world/judge.ts';
import { sleep } from '../world/load.ts';
import { Random } from '../world/random.ts';
import { copyOf, createWorld } from '../world/world.ts';
import { SlowClients, vanish } from './bad-clients.ts';
import { costOfOne, deafClients, mustBeClosed } from './deaf.ts';
import { FaultRun } from './run.ts';

const SLOW = 500;
const DEAF = 64;
const GOOD = 8;
const VANISHING = 400;
const P99_MAX_MS = 100;
/** Where other work keeps the machine busy, good clients wait without any bad ones, too. */
const TIMES_MAX = 2;
const ALONE_MS = 4000;

/** Clients that are slow, silent or gone do not make the others wait. */
export const clients: Part = {
  name: 'clients',
  about: `${SLOW} slow and half-open sockets, ${DEAF} that read no answer and ${VANISHING} vanishing clients beside good ones`,
  engines: ENGINES,
  async run({ seed, engine, say }) {
    const world = await createWorld(engine, 80);
    const random = new Random(seed);
    const run = new FaultRun(world, copyOf(world, 'clients'), random.fork(), { clients: GOOD });
    const server = await run.start();
    // The first requests wait for code to be compiled and files to be opened.
    await sleep(1000);
    const started = run.recorder.lines.length;
    await sleep(ALONE_MS);
    const alone = percentile(latencies(run.recorder.lines.slice(started)), 0.99);
    const cost = await costOfOne(server);
    const deaf = await deafClients(server, DEAF);
    const deafSince = performance.now();
    const slow = new SlowClients(server.url, SLOW);
    await sleep(1000);
    const from = run.recorder.lines.length;
    const connected = slow.connected;
    for (let index = 0; index < VANISHING; index += 1) {
      await vanish(world, run.recorder, random, server.url);
      await sleep(random.between(0, 40));
    }
    const p99 = percentile(latencies(run.recorder.lines.slice(from)), 0.99);
    await mustBeClosed(deaf, deafSince);
    const { neverClosed } = slow;
    await run.load.stop();
    slow.close();
    if (neverClosed.length > 0) {
      throw new Error(`slow clients that send this were never closed: ${neverClosed.join('; ')}`);
    }
    const code = await run.stop('SIGTERM');
    if (code !== 0) throw new Error(`the server ended with ${code}`);
    mustHold(run.recorder, run.place, 'bad clients');
    rmSync(world.folder, { recursive: true, force: true });
    say(`${connected} slow sockets`);
    const waited = `${p99.toFixed(1)} ms (p99), without bad ones ${alone.toFixed(1)} ms`;
    // Written so that no answer at all is not taken for a quick one.
    if (!(p99 <= Math.max(P99_MAX_MS, TIMES_MAX * alone)))
      throw new Error(
        `the good clients waited ${waited}; at most ${P99_MAX_MS} or, on a busy machine, ${TIMES_MAX} times as long are right`,
      );
    return `${connected} slow sockets, ${DEAF} that read nothing (${cost}), ${VANISHING} vanished; good clients waited ${waited}, over ${run.load.asked} requests`;
  },
};

function latencies(lines: readonly RecordLine[]): number[] {
  const begun = new Map<number, number>();
  return lines.flatMap((line) => {
    if (line.type === 'invoke') begun.set(line.id, line.at);
    if (line.type !== 'ok' && line.type !== 'fail') return [];
    const start = begun.get(line.id);
    return start === undefined ? [] : [line.at - start];
  });
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
}
