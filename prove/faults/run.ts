import { newRecord } from '../world/judge.ts';
import { Load, type LoadOptions, sleep } from '../world/load.ts';
import {
  type ProgramPlace,
  type ServeOptions,
  type ServerProcess,
  serve,
} from '../world/program.ts';
import type { Random } from '../world/random.ts';
import type { Recorder } from '../world/recorder.ts';
import type { World } from '../world/world.ts';

/** A server with clients that may lose it and find it again. */
export class FaultRun {
  readonly place: ProgramPlace;
  readonly recorder: Recorder;
  readonly load: Load;
  #server: ServerProcess | undefined;

  constructor(
    world: World,
    place: ProgramPlace,
    random: Random,
    options: Partial<LoadOptions> & { readonly servers?: number } = {},
  ) {
    this.place = place;
    this.recorder = newRecord(world, place.storeUrl, options.servers);
    const url = () => this.#server?.url;
    this.load = new Load({ world, recorder: this.recorder, random, clients: 16, url, ...options });
  }

  /** The clients go on as soon as it listens. */
  async start(options: ServeOptions = {}): Promise<ServerProcess> {
    this.#server = await serve(this.place, options);
    return this.#server;
  }

  /** The clients wait. */
  async stop(signal: NodeJS.Signals): Promise<number | null> {
    const server = this.#server;
    this.#server = undefined;
    return (await server?.stop(signal)) ?? null;
  }

  get unknown(): number {
    return this.recorder.lines.filter((line) => line.type === 'unknown').length;
  }
}

/** Waits until `condition` holds. @throws Error that says what did not happen within the time */
export async function until(
  what: string,
  condition: () => boolean,
  timeoutMs = 30_000,
): Promise<void> {
  for (let waited = 0; !condition(); waited += 10) {
    if (waited > timeoutMs)
      throw new Error(`within ${timeoutMs / 1000} s this did not happen: ${what}`);
    await sleep(10);
  }
}
