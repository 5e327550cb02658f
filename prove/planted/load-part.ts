import { rmSync } from 'node:fs';
import type { Part } from '../part.ts';
import { mustHoldAll } from '../world/judge.ts';
import { Random } from '../world/random.ts';
import { createWorld } from '../world/world.ts';
import { rush } from './rush.ts';

const ROUNDS = 20;
const REQUESTS = 4000;

/** No fault but many clients: what everything else is compared with. */
export const load: Part = {
  name: 'load',
  about: 'many clients on one server and on two, with revocations, ended in good order or killed',
  engines: ['sqlite'],
  async run({ seed, engine, say }) {
    const world = await createWorld(engine, 40);
    const random = new Random(seed);
    let granted = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const servers = round % 2 === 0 ? 1 : 2;
      const end = round % 4 < 2 ? 'SIGTERM' : 'SIGKILL';
      const seedOfRound = random.between(0, 2 ** 31);
      const rushed = await rush({ world, seed: seedOfRound, servers, requests: REQUESTS, end });
      mustHoldAll(
        rushed.problems,
        rushed.recorder,
        rushed.place,
        `round ${round}, ${servers} servers, ${end}`,
      );
      granted += rushed.granted;
      say(`round ${round + 1} of ${ROUNDS}: ${rushed.granted} uses`);
    }
    rmSync(world.folder, { recursive: true, force: true });
    return `${ROUNDS} rounds of ${REQUESTS} requests, ${granted} uses acknowledged`;
  },
};
