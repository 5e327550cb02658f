import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Command, PROGRAM, type Ran } from './warm/command.ts';
import { runProcess, runProgram } from './warm/run-program.ts';

export { PROGRAM, type Ran } from './warm/command.ts';

export interface RunningServe {
  readonly url: string;
  readonly process: ChildProcess;
  /** The first line on stdout, parsed. */
  readonly firstLine: Record<string, unknown>;
  /** What it wrote on stderr so far. */
  readonly messages: () => string;
  /** Sends the signal and resolves with the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** The built program in a folder of its own, as a user runs it. */
export class CliFolder implements AsyncDisposable {
  readonly path = mkdtempSync(join(tmpdir(), 'ticketscan-cli-'));
  readonly #children = new Set<ChildProcess>();
  readonly #program: readonly string[];
  readonly #run: (command: Command) => Promise<Ran>;

  /** @param program how to start another one than the built program, or that in a process of its own for each command */
  constructor(...program: string[]) {
    this.#program = program.length > 0 ? program : [process.execPath, PROGRAM];
    this.#run = program.length > 0 ? (command) => runProcess(program, command) : runProgram;
  }

  run(args: readonly string[], environment: Record<string, string> = {}): Promise<Ran> {
    return this.#run({ args, cwd: this.path, env: this.#environment(environment) });
  }

  #environment(changes: Record<string, string>): NodeJS.ProcessEnv {
    return { ...process.env, NO_COLOR: '1', ...changes };
  }

  /** The parsed output of a command that must succeed. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at whatever the command printed
  async json(args: readonly string[]): Promise<any> {
    const { code, out, err } = await this.run([...args, '--json']);
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${err}`);
    return JSON.parse(out);
  }

  /** Starts `serve` on a free port; resolves when it listens. @param wrapper a program to run it under */
  async serve(
    args: readonly string[] = [],
    wrapper: readonly string[] = [],
  ): Promise<RunningServe> {
    const command = ['serve', '--port', '0', '--json', ...args];
    const child = this.#spawn(command, {}, wrapper);
    const err = collect(child.stderr);
    const output = createInterface({ input: child.stdout as NodeJS.ReadableStream });
    const [line] = await Promise.race([
      once(output, 'line') as Promise<[string]>,
      once(child, 'exit').then(([code]) => {
        throw new Error(`serve ended with ${code}: ${err()}`);
      }),
    ]);
    const firstLine = JSON.parse(line) as Record<string, unknown> & { url: string };
    const { url } = firstLine;
    const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
      const ended = once(child, 'exit') as Promise<[number | null]>;
      child.kill(signal);
      return (await ended)[0];
    };
    return { url, process: child, firstLine, messages: err, stop };
  }

  /** Starts a command that goes on until this folder is disposed; resolves with what its output matches. */
  async runUntil(args: readonly string[], wanted: RegExp): Promise<RegExpExecArray> {
    const child = this.#spawn(args, {});
    const [out, err] = [collect(child.stdout), collect(child.stderr)];
    // A pipe that is closed would end the command at its next line.
    for await (const _ of child.stdout?.iterator({ destroyOnReturn: false }) ?? []) {
      const found = wanted.exec(out());
      if (found) return found;
    }
    throw new Error(`${args.join(' ')} ended without ${wanted}: ${out()}${err()}`);
  }

  #spawn(
    args: readonly string[],
    environment: Record<string, string>,
    wrapper: readonly string[] = [],
  ): ChildProcess {
    const [command = '', ...rest] = [...wrapper, ...this.#program, ...args];
    const env = this.#environment(environment);
    const child = spawn(command, rest, { cwd: this.path, env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#children.add(child);
    child.once('exit', () => this.#children.delete(child));
    return child;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children) child.kill('SIGKILL');
    rmSync(this.path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }
}

function collect(stream: NodeJS.ReadableStream | null): () => string {
  let text = '';
  stream?.on('data', (chunk) => {
    text += chunk;
  });
  return () => text;
}

export interface Target {
  readonly keys: Record<string, string>;
  readonly tickets: Record<string, string[]>;
}

/** A target file as `seed` writes it, with no more of its tickets than their codes. */
export function targetOf(file: string | object): Target & { readonly baseUrl: string } {
  const { tickets, ...others } = typeof file === 'string' ? JSON.parse(file) : file;
  const codes = Object.entries(tickets as Record<string, { code: string }[]>).map(
    ([state, list]) => [state, list.map(({ code }) => code)],
  );
  return { ...others, tickets: Object.fromEntries(codes) };
}

// biome-ignore lint/suspicious/noExplicitAny: tests look at whatever came back
export async function consume(url: string, key: string, ticketCode: string): Promise<any> {
  const response = await fetch(`${url}/scan/consume`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({ ticketCode }),
  });
  return response.json();
}

export async function presentCard(
  url: string,
  key: string,
  ticketCode: string,
  reader = 0,
  // biome-ignore lint/suspicious/noExplicitAny: tests look at whatever came back
): Promise<any> {
  const response = await fetch(`${url}/scan/hw/consume?key=${key}`, {
    method: 'POST',
    body: JSON.stringify({
      Card: Buffer.from(ticketCode).toString('base64'),
      Serial: '1',
      Reader: reader,
    }),
  });
  return response.json();
}
