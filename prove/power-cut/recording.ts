import { join } from 'node:path';
import { newRecord } from '../world/judge.ts';
import { Load, sleep } from '../world/load.ts';
import type { Random } from '../world/random.ts';
import type { Recorder } from '../world/recorder.ts';
import { copyInto, newFolder, placeIn, type World } from '../world/world.ts';
import { readTrace, type Step } from './syscalls.ts';
import { TracedShell } from './traced-shell.ts';

export interface RecordingOptions {
  readonly world: World;
  readonly program?: string;
  readonly random: Random;
  readonly servers: number;
  readonly requests: number;
  /** Cancel a ticket and disable a key meanwhile, in processes of their own. */
  readonly changes?: boolean;
  readonly inject?: readonly string[];
}

/** One run of the program with everything it wrote and told. */
export interface Recording {
  readonly recorder: Recorder;
  readonly steps: readonly Step[];
  readonly folder: string;
}

const CLIENTS = 12;

/** What stands in the trace when a change was confirmed. */
export function doneMark(operationId: number): string {
  return `ticketscan-change-${operationId}-done`;
}

/** Runs servers under load with everything traced. Devices are left out: their answers do not name the ticket. */
export async function record(options: RecordingOptions): Promise<Recording> {
  const { world, random, program, servers, requests, inject } = options;
  const folder = newFolder('power-cut');
  const store = join(folder, 'store');
  copyInto(world, store);
  const place = placeIn(store, world.engine, program);
  const recorder = newRecord(world, place.storeUrl, servers);
  const shell = new TracedShell(place, folder, inject);
  const urls: string[] = [];
  for (let index = 0; index < servers; index += 1) urls.push(await shell.serve());
  const load = new Load({
    world,
    recorder,
    random: random.fork(),
    clients: CLIENTS,
    url: () => random.pick(urls),
    requestsMax: requests,
    keysMix: ['rest', 'rest', 'restScoped'],
  });
  if (options.changes) await changeMeanwhile(world, shell, recorder);
  await load.finished();
  await sleep(20);
  await shell.stop('TERM');
  return { recorder, steps: await readTrace(shell.tracePath, store), folder };
}

async function changeMeanwhile(
  world: World,
  shell: TracedShell,
  recorder: Recorder,
): Promise<void> {
  const key = world.open.keys.restScoped.id;
  const ticket = world.open.tickets['permanent']?.[1]?.id ?? '';
  const change = async (
    action: 'disable' | 'cancel',
    asked: { key?: string; ticket?: string },
    args: string[],
  ) => {
    const id = recorder.invoke({ action, ...asked });
    if (await shell.run(args, doneMark(id))) recorder.answer(id, { type: 'ok', status: 'changed' });
    else recorder.unknown(id, 'the command failed');
  };
  await change('cancel', { ticket }, ['tickets', 'cancel', ticket]);
  await change('disable', { key }, ['keys', 'disable', key]);
}
