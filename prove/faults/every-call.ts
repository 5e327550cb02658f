import { rmSync } from 'node:fs';
import { ENGINES, type Part } from '../part.ts';
import { mustHold } from '../world/judge.ts';
import { Random } from '../world/random.ts';
import { copyOf, createWorld, type World } from '../world/world.ts';
import { FaultRun } from './run.ts';
import { CHANGING_CALLS, injecting, ONE_FILE_THREAD } from './traced.ts';

const REQUESTS = 24;
const CALLS_MAX = 2000;

/** Kills the process once at each call that changes a file, from opening the store to closing it. */
export const everyCall: Part = {
  name: 'every-call',
  about: 'kill -9 at every write and sync call of a short run, once each',
  engines: ENGINES,
  async run({ seed, engine, say }) {
    const world = await createWorld(engine, 8);
    for (let call = 1; call <= CALLS_MAX; call += 1) {
      const survived = await dieAt(call, world, seed);
      if (survived) {
        rmSync(world.folder, { recursive: true, force: true });
        if (call < 20) throw new Error(`only ${call} calls were seen: the tracer misses the store`);
        return `died at each of ${call - 1} calls (${CHANGING_CALLS[engine]}), nothing lost`;
      }
      if (call % 20 === 0) say(`died at ${call} calls`);
    }
    throw new Error(`the run had more than ${CALLS_MAX} calls`);
  },
};

async function comesUp(run: FaultRun, call: number): Promise<void> {
  await run.start();
  const code = await run.stop('SIGTERM');
  if (code !== 0) throw new Error(`killed at call ${call}: the next server ended with ${code}`);
  rmSync(run.place.folder, { recursive: true, force: true });
}

/** True when the process got through without reaching that call. */
async function dieAt(call: number, world: World, seed: number): Promise<boolean> {
  const place = copyOf(world, 'every-call');
  const wrapper = injecting(place, world.engine, [
    `${CHANGING_CALLS[world.engine]}:signal=KILL:when=${call}`,
  ]);
  const run = new FaultRun(world, place, new Random(seed), { clients: 2, requestsMax: REQUESTS });
  const server = await run.start({ wrapper, environment: ONE_FILE_THREAD }).catch(() => undefined);
  if (server) {
    const died = server.ended.then(() => true);
    await Promise.race([run.load.finished(), died]);
    server.stop('SIGTERM').catch(() => {});
  }
  await run.load.stop();
  const end = await server?.ended;
  // Killed before its first answer: there is nothing to look for, but the next start must find a store that works.
  if (!run.recorder.lines.some(({ type }) => type === 'ok')) {
    await comesUp(run, call);
    return false;
  }
  mustHold(run.recorder, place, `killed at call ${call}`);
  return end?.code === 0;
}
