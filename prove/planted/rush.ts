import type { Problem } from '../history/problem.ts';
import { change } from '../world/administrator.ts';
import { newRecord, problemsOf } from '../world/judge.ts';
import { burst, Load } from '../world/load.ts';
import { BUILT_PROGRAM, type ProgramPlace, type ServerProcess, serve } from '../world/program.ts';
import { Random } from '../world/random.ts';
import type { Recorder } from '../world/recorder.ts';
import { copyOf, type World } from '../world/world.ts';

export interface RushOptions {
  readonly world: World;
  /** The script to start. */
  readonly program?: string;
  readonly seed: number;
  readonly servers: 1 | 2;
  readonly requests: number;
  /** How the servers end: in good order, or killed under load. */
  readonly end: 'SIGTERM' | 'SIGKILL';
}

export interface Rushed {
  readonly problems: Problem[];
  readonly recorder: Recorder;
  readonly place: ProgramPlace;
  readonly granted: number;
}

const CLIENTS = 16;

/**
 * Load from many clients while keys are disabled and tickets cancelled, then the end of the servers; what the clients
 * heard is held against what the store then holds.
 */
export async function rush({
  world,
  program,
  seed,
  servers,
  requests,
  end,
}: RushOptions): Promise<Rushed> {
  const place = copyOf(world, 'rush', program);
  const recorder = newRecord(world, place.storeUrl, servers);
  const random = new Random(seed);
  const running = await Promise.all(Array.from({ length: servers }, () => serve(place)));
  const url = () => random.pick(running).url;
  await burst(world, recorder, url());
  const half = new Load({
    world,
    recorder,
    random,
    clients: CLIENTS,
    url,
    requestsMax: requests / 2,
  });
  await Promise.all([half.finished(), revoke(world, place, recorder)]);
  const rest = new Load({
    world,
    recorder,
    random,
    clients: CLIENTS,
    url,
    requestsMax: requests / 2,
  });
  if (end === 'SIGKILL') await stopWhenBusy(running, rest, requests / 4);
  await rest.finished();
  await Promise.all(running.map((server) => server.stop(end)));
  const problems = problemsOf(recorder, place.storeUrl);
  return { problems, recorder, place, granted: half.granted + rest.granted };
}

/** Revokes with the program as it is: the bug under test is the server's. */
async function revoke(world: World, place: ProgramPlace, recorder: Recorder): Promise<void> {
  const { keys, tickets } = world.open;
  const administrator = { ...place, program: BUILT_PROGRAM };
  await Promise.all([
    change(administrator, recorder, 'disable', { key: keys.restScoped.id }),
    change(administrator, recorder, 'cancel', { ticket: tickets['permanent']?.[0]?.id ?? '' }),
  ]);
  await change(administrator, recorder, 'delete', { key: keys.hardwareScoped.id });
}

async function stopWhenBusy(
  servers: readonly ServerProcess[],
  load: Load,
  asked: number,
): Promise<void> {
  while (load.asked < asked) await new Promise(setImmediate);
  for (const server of servers) process.kill(server.pid, 'SIGKILL');
}
