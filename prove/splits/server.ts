import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ProgramPlace,
  type ServeOptions,
  type ServerProcess,
  serve,
} from '../world/program.ts';

/** The centre, or a site: a server that is killed and started again on its store. */
export class SplitServer {
  readonly name: string;
  place: ProgramPlace;
  readonly #options: ServeOptions;
  #process: ServerProcess | undefined;
  #starting: Promise<void> | undefined;
  kills = 0;

  constructor(name: string, place: ProgramPlace, options: ServeOptions = {}) {
    this.name = name;
    this.place = place;
    this.#options = options;
  }

  /** Its address; undefined while it is down. */
  get url(): string | undefined {
    return this.#process?.url;
  }

  /** What it said since it was started last. */
  get said(): string {
    return this.#process?.errors() ?? '';
  }

  get port(): number {
    return Number(new URL(this.url ?? 'http://127.0.0.1:1').port);
  }

  /** Starts it, unless it runs. A new site needs its centre for that, so that it is tried again. */
  start(): Promise<void> {
    if (this.#process) return Promise.resolve();
    this.#starting ??= this.#untilServed().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #untilServed(): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        this.#process = await serve(this.place, this.#options);
        return;
      } catch (error) {
        if (tries === START_TRIES) throw error;
        // The centre may be starting itself.
        await sleep(BETWEEN_TRIES_MS);
      }
    }
  }

  /** Kills it at this moment. Does nothing while it is down. */
  async kill(): Promise<void> {
    const running = this.#process;
    this.#process = undefined;
    if (!running) return;
    this.kills += 1;
    await running.stop('SIGKILL');
  }

  async end(): Promise<void> {
    const running = this.#process;
    this.#process = undefined;
    await running?.stop('SIGTERM');
  }
}

const START_TRIES = 20;
const BETWEEN_TRIES_MS = 1000;
