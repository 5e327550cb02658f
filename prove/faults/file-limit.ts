import { rmSync } from 'node:fs';
import { ENGINES, type Part } from '../part.ts';
import { mustHold, newRecord } from '../world/judge.ts';
import { Load, sleep } from '../world/load.ts';
import { serve } from '../world/program.ts';
import { Random } from '../world/random.ts';
import { copyOf, createWorld } from '../world/world.ts';

const FILES_MAX = 60;
const FIRST_CLIENTS = 4;
const FIRST_REQUESTS = 100;
const CLIENTS = 300;
const REQUESTS = 6000;
const TRIES_MAX = 100;
const TRY_EVERY_MS = 100;

/** More clients than the server may have files: some wait or are cut off, none is answered wrongly. */
export const fileLimit: Part = {
  name: 'file-limit',
  about: `${CLIENTS} clients on a server that may open ${FILES_MAX} files`,
  engines: ENGINES,
  async run({ seed, engine }) {
    const world = await createWorld(engine, 40);
    const place = copyOf(world, 'file-limit');
    const random = new Random(seed);
    const recorder = newRecord(world, place.storeUrl);
    const server = await serve(place, {
      wrapper: ['sh', '-c', `ulimit -n ${FILES_MAX}; exec "$@"`, 'sh'],
    });
    const load = (clients: number, requestsMax: number) =>
      new Load({ world, recorder, random, url: () => server.url, clients, requestsMax });
    // A gate opens before the crowd comes: the store has its files by then.
    const first = load(FIRST_CLIENTS, FIRST_REQUESTS);
    await first.finished();
    const rush = load(CLIENTS, REQUESTS);
    await rush.finished();
    await readyAgain(server.url);
    const code = await server.stop('SIGTERM');
    if (code !== 0) throw new Error(`the server ended with ${code}`);
    mustHold(recorder, place, 'file limit');
    rmSync(world.folder, { recursive: true, force: true });
    if (rush.granted === 0) throw new Error('no client got through the rush');
    const cutOff = recorder.lines.filter((line) => line.type === 'unknown').length;
    return `${rush.asked} requests, ${cutOff} cut off, ${rush.granted} uses acknowledged, none lost`;
  },
};

/** The server needs a moment to see that the clients have gone. @throws Error when it does not serve again by then */
async function readyAgain(url: string): Promise<void> {
  let said: unknown;
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    said = await fetch(`${url}/readyz`).then(
      ({ status }) => status,
      (error: Error) => error.message,
    );
    if (said === 200) return;
    await sleep(TRY_EVERY_MS);
  }
  throw new Error(`when the clients had gone, /readyz said ${said}`);
}
