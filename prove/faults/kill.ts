import { rmSync } from 'node:fs';
import { ENGINES, type Part } from '../part.ts';
import { mustHold, problemsOf } from '../world/judge.ts';
import { sleep } from '../world/load.ts';
import { Random } from '../world/random.ts';
import { copyOf, createWorld } from '../world/world.ts';
import { FaultRun } from './run.ts';

const CHECK_EVERY = 25;

/** The process dies at random moments; the next one goes on with the same file. */
export const kill: Part = {
  name: 'kill',
  about: 'kill -9 under load, --kills times, on the same store',
  engines: ENGINES,
  async run({ seed, engine, kills, say }) {
    const world = await createWorld(engine, 200);
    const random = new Random(seed);
    const run = new FaultRun(world, copyOf(world, 'kill'), random.fork(), { servers: kills });
    for (let round = 1; round <= kills; round += 1) {
      await run.start();
      await sleep(random.between(20, 250));
      await run.stop('SIGKILL');
      if (round % CHECK_EVERY !== 0) continue;
      const problems = problemsOf(run.recorder, run.place.storeUrl).length;
      say(`${round} of ${kills}: ${run.load.granted} uses, ${problems} problems`);
    }
    await run.load.stop();
    mustHold(run.recorder, run.place, `after ${kills} kills`);
    rmSync(world.folder, { recursive: true, force: true });
    return `${kills} kills, ${run.load.granted} uses acknowledged, none lost, ${run.unknown} requests without an answer`;
  },
};
