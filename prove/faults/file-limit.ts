import { rmSync } from 'node:fs';
import { ENGINES, type Part } from '../part.ts';
import { mustHold } from '../world/judge.ts';
import { Random } from '../world/random.ts';
import { copyOf, createWorld } from '../world/world.ts';
import { FaultRun } from './run.ts';

const FILES_MAX = 60;
const CLIENTS = 300;
const REQUESTS = 6000;

/** More clients than the server may have files: some wait or are cut off, none is answered wrongly. */
export const fileLimit: Part = {
  name: 'file-limit',
  about: `${CLIENTS} clients on a server that may open ${FILES_MAX} files`,
  engines: ENGINES,
  async run({ seed, engine }) {
    const world = await createWorld(engine, 40);
    const place = copyOf(world, 'file-limit');
    const random = new Random(seed);
    const run = new FaultRun(world, place, random, { clients: CLIENTS, requestsMax: REQUESTS });
    const server = await run.start({
      wrapper: ['sh', '-c', `ulimit -n ${FILES_MAX}; exec "$@"`, 'sh'],
    });
    await run.load.finished();
    const response = await fetch(`${server.url}/readyz`);
    if (response.status !== 200)
      throw new Error(`when the clients had gone, /readyz said ${response.status}`);
    const code = await run.stop('SIGTERM');
    if (code !== 0) throw new Error(`the server ended with ${code}`);
    mustHold(run.recorder, place, 'file limit');
    rmSync(world.folder, { recursive: true, force: true });
    return `${run.load.asked} requests, ${run.unknown} cut off, ${run.load.granted} uses acknowledged, none lost`;
  },
};
