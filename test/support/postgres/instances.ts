import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CliFolder, type RunningServe, targetOf } from '../cli.ts';
import type { GateTicket } from './gate-clients.ts';

const UNLIMITED = ['--rate', '1000000', '--burst', '1000000', '--quota', '100000000'];

/** Several `serve` processes on one database, with sample tickets. */
export class Instances implements AsyncDisposable {
  readonly #folder: CliFolder;
  readonly #store: string;
  readonly #running: (RunningServe | undefined)[] = [];

  private constructor(folder: CliFolder, store: string) {
    this.#folder = folder;
    this.#store = store;
  }

  static async start(store: string, count: number): Promise<Instances> {
    const instances = new Instances(new CliFolder(), store);
    for (let index = 0; index < count; index += 1) await instances.restart(index);
    return instances;
  }

  /** Adds tickets; a permanent card comes first. */
  async seed(perState: number): Promise<{ key: string; tickets: GateTicket[] }> {
    const { code, err } = await this.run(
      'seed',
      '--count',
      String(perState),
      '--out',
      'target.json',
      ...UNLIMITED,
    );
    if (code !== 0) throw new Error(err);
    const { keys, tickets } = targetOf(
      readFileSync(join(this.#folder.path, 'target.json'), 'utf8'),
    );
    const of = (state: string, allowed: number) =>
      (tickets[state] ?? []).map((ticket) => ({ code: ticket, allowed }));
    return {
      key: keys['rest'] ?? '',
      tickets: [...of('permanent', 9999), ...of('multi', 10), ...of('single', 1)],
    };
  }

  run(...args: string[]): ReturnType<CliFolder['run']> {
    return this.#folder.run([...args, '--store', this.#store]);
  }

  /** Where those that run listen. */
  get urls(): string[] {
    return this.#running.flatMap((one) => (one ? [one.url] : []));
  }

  async kill(index: number): Promise<void> {
    const killed = this.#running[index];
    this.#running[index] = undefined;
    await killed?.stop('SIGKILL');
  }

  async restart(index: number): Promise<void> {
    this.#running[index] = await this.#folder.serve(['--store', this.#store]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#running.map((_, index) => this.kill(index)));
    await this.#folder[Symbol.asyncDispose]();
  }
}
