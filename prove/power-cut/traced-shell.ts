import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sleep } from '../world/load.ts';
import type { ProgramPlace } from '../world/program.ts';
import { STRACE } from './syscalls.ts';

export function hasStrace(): boolean {
  return spawnSync('strace', ['-V']).status === 0;
}

const POLL_MS = 5;
const PATIENCE_MS = 60_000;

/**
 * A shell under strace: every server and command started in it writes into one trace, in the order in which things
 * happened on the machine.
 */
export class TracedShell {
  readonly tracePath: string;
  readonly #place: ProgramPlace;
  readonly #outputFolder: string;
  readonly #shell: ChildProcess;
  #started = 0;

  /** @param inject strace's own faults, for example `fdatasync:error=EIO:when=7` */
  constructor(place: ProgramPlace, outputFolder: string, inject: readonly string[] = []) {
    this.#place = place;
    this.#outputFolder = outputFolder;
    this.tracePath = join(outputFolder, 'trace.txt');
    const faults = inject.flatMap((fault) => ['-e', `inject=${fault}`]);
    const [command, ...args] = [...STRACE, ...faults, '-o', this.tracePath, 'sh', '-s'];
    const env = { ...process.env, NO_COLOR: '1', TICKETSCAN_STORE: place.storeUrl };
    this.#shell = spawn(command, args, {
      cwd: outputFolder,
      env,
      stdio: ['pipe', 'ignore', 'inherit'],
    });
  }

  /** Starts a server; resolves with its address. */
  async serve(args: readonly string[] = []): Promise<string> {
    const name = this.#nextName();
    this.#do(
      `${this.#command(['serve', '--port', '0', '--json', ...args])} >${name}.out 2>${name}.err & pids="$pids $!"`,
    );
    const line = await this.#firstLine(`${name}.out`);
    return (JSON.parse(line) as { url: string }).url;
  }

  /** Runs a command to its end; `done` stands in the trace when it has succeeded. */
  async run(args: readonly string[], done: string): Promise<boolean> {
    const name = this.#nextName();
    this.#do(
      `${this.#command(args)} >${name}.log 2>&1 && echo ${done} >${name}.out || echo failed >${name}.out`,
    );
    return (await this.#firstLine(`${name}.out`)) === done;
  }

  /** Sends a signal to all servers and waits for them and for the end of the trace. */
  async stop(signal: 'TERM' | 'KILL'): Promise<void> {
    const ended = once(this.#shell, 'close');
    this.#do(`[ -z "$pids" ] || kill -${signal} $pids; wait`);
    this.#shell.stdin?.end();
    await ended;
  }

  #do(line: string): void {
    this.#shell.stdin?.write(`${line}\n`);
  }

  #command(args: readonly string[]): string {
    return [process.execPath, this.#place.program, ...args].map((text) => `'${text}'`).join(' ');
  }

  #nextName(): string {
    this.#started += 1;
    return `process-${this.#started}`;
  }

  async #firstLine(name: string): Promise<string> {
    const path = join(this.#outputFolder, name);
    for (let waited = 0; waited < PATIENCE_MS; waited += POLL_MS) {
      const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
      if (text.includes('\n')) return text.slice(0, text.indexOf('\n'));
      await sleep(POLL_MS);
    }
    throw new Error(`nothing came in ${path}`);
  }
}
