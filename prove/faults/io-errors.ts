import { rmSync } from 'node:fs';
import { ENGINES, type Part } from '../part.ts';
import { mustHold } from '../world/judge.ts';
import { Random } from '../world/random.ts';
import { copyOf, createWorld } from '../world/world.ts';
import { FaultRun } from './run.ts';
import { injecting, ONE_FILE_THREAD } from './traced.ts';

const ROUNDS = 30;
const REQUESTS = 1500;

/** What the disk may say: broken, full, read-only, not this time. */
const FAULTS = [
  'fsync,fdatasync:error=EIO',
  'fsync,fdatasync:error=ENOSPC',
  'pwrite64,pwritev,write,writev:error=EIO',
  'pwrite64,pwritev,write,writev:error=ENOSPC',
  'pwrite64,pwritev,write,writev:error=EROFS',
] as const;

/** Calls fail now and then; requests get 500 or an answer that holds, and the server goes on. */
export const ioErrors: Part = {
  name: 'io-errors',
  about: 'EIO, ENOSPC and EROFS from write and sync calls under load',
  engines: ENGINES,
  async run({ seed, engine, say }) {
    const world = await createWorld(engine, 40);
    const random = new Random(seed);
    let unknown = 0;
    let granted = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const fault = FAULTS[round % FAULTS.length] ?? FAULTS[0];
      const place = copyOf(world, 'io-errors');
      // From some call on, every so-manieth fails; the last of them long before the load ends.
      const when = `${random.between(8, 30)}..${random.between(60, 90)}+${random.between(2, 9)}`;
      const wrapper = injecting(place, engine, [`${fault}:when=${when}`]);
      const run = new FaultRun(world, place, random.fork(), { requestsMax: REQUESTS });
      await run.start({ wrapper, environment: ONE_FILE_THREAD });
      await run.load.finished();
      const code = await run.stop('SIGTERM');
      // A store that cannot be closed in good order says so with 3.
      if (code !== 0 && code !== 3) throw new Error(`${fault}: the server ended with ${code}`);
      unknown += run.unknown;
      granted += run.load.granted;
      await comesBack(run);
      mustHold(run.recorder, place, `${fault} at ${when}`);
      say(`${round + 1} of ${ROUNDS}: ${fault} at ${when}, ${run.unknown} unknown outcomes`);
    }
    rmSync(world.folder, { recursive: true, force: true });
    if (unknown === 0) throw new Error('no fault was ever felt: the tracer misses the store');
    return `${ROUNDS} rounds, ${unknown} requests without a certain answer, ${granted} uses acknowledged, none lost`;
  },
};

/** The next start finds a store that works. */
async function comesBack(run: FaultRun): Promise<void> {
  const server = await run.start();
  const response = await fetch(`${server.url}/readyz`);
  if (response.status !== 200) throw new Error(`after the faults /readyz says ${response.status}`);
  await run.stop('SIGTERM');
}
