import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

const WARM_PROGRAM = resolve('test/support/warm/warm-program.ts');

interface Running {
  readonly child: ChildProcess;
  /** The path of its socket, once it listens. */
  readonly path: Promise<string>;
}

/** Running programs, one for each worker of the test runner: `runProgram` runs commands in them. */
export class WarmPrograms {
  readonly #folder: string;
  readonly #running = new Map<string, Running>();

  /** @param folder for their sockets */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The path of the socket of a worker's program, started where none runs. One that ends with its test is started again when it is asked for. */
  path(worker: string): Promise<string> {
    const running = this.#running.get(worker) ?? this.#start(worker);
    return running.path;
  }

  stop(): void {
    for (const { child } of this.#running.values()) child.kill();
  }

  #start(worker: string): Running {
    const path = join(this.#folder, `program-${worker}`);
    rmSync(path, { force: true });
    const child = spawn(process.execPath, [WARM_PROGRAM, path], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    child.once('exit', () => this.#running.delete(worker));
    const ended = once(child, 'exit').then(() => {
      throw new Error('the program for the tests ended before it listened');
    });
    const listening = once(child, 'message').then(() => path);
    const running = { child, path: Promise.race([listening, ended]) };
    running.path.catch(() => undefined);
    this.#running.set(worker, running);
    return running;
  }
}
