import type { ProgramPlace, ServerProcess } from '../world/program.ts';
import { serve } from '../world/program.ts';
import { Line } from './proxy.ts';

/** One `serve` with the line of its clients, which stays when the process is another one. */
interface Instance {
  readonly line: Line;
  server: ServerProcess | undefined;
}

/** Several `serve` on one database. */
export class Instances implements AsyncDisposable {
  readonly #places: readonly ProgramPlace[];
  readonly #instances: Instance[] = [];

  private constructor(places: readonly ProgramPlace[]) {
    this.#places = places;
  }

  /** @param places one for each instance */
  static async start(places: readonly ProgramPlace[]): Promise<Instances> {
    const instances = new Instances(places);
    for (const index of places.keys()) {
      const instance: Instance = {
        server: undefined,
        line: await Line.start(() => portOf(instance.server)),
      };
      instances.#instances.push(instance);
      await instances.restart(index);
    }
    return instances;
  }

  get count(): number {
    return this.#instances.length;
  }

  /** Undefined while it does not run. */
  url(index: number): string | undefined {
    return this.#instances[index]?.server?.url;
  }

  /** Where clients reach it over its line. */
  lineUrl(index: number): string | undefined {
    const instance = this.#instances[index];
    return instance?.server && `http://127.0.0.1:${instance.line.port}`;
  }

  lines(): Line[] {
    return this.#instances.map(({ line }) => line);
  }

  async kill(index: number): Promise<void> {
    const instance = this.#instances[index];
    const killed = instance?.server;
    if (instance) instance.server = undefined;
    await killed?.stop('SIGKILL');
  }

  async restart(index: number): Promise<void> {
    const [instance, place] = [this.#instances[index], this.#places[index]];
    if (instance && place) instance.server = await serve(place);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#instances.map((_, index) => this.kill(index)));
    for (const { line } of this.#instances) await line[Symbol.asyncDispose]();
  }
}

/** Nobody listens on port 1. */
function portOf(server: ServerProcess | undefined): number {
  return server ? Number(new URL(server.url).port) : 1;
}
