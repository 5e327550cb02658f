import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';

/** The program as users start it. */
export const BUILT_PROGRAM = resolve(
  process.env['TICKETSCAN_PROVE_PROGRAM'] ?? 'bin/ticketscan.js',
);

/** Where and how the program runs. */
export interface ProgramPlace {
  /** The script to start: the built program, or a copy with a planted bug. */
  readonly program: string;
  readonly folder: string;
  readonly storeUrl: string;
}

export interface ServeOptions {
  readonly args?: readonly string[];
  /** A command to run the server under, for example strace. */
  readonly wrapper?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

export interface ServerProcess {
  readonly url: string;
  readonly pid: number;
  /** Resolves when the process has ended. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  readonly errors: () => string;
  stop(signal: NodeJS.Signals): Promise<number | null>;
}

const START_TIMEOUT_MS = 30_000;

/** Starts `serve` on a free port; resolves when it listens. @throws Error with what it said when it does not */
export async function serve(
  place: ProgramPlace,
  options: ServeOptions = {},
): Promise<ServerProcess> {
  const { args = [], wrapper = [], environment = {} } = options;
  const command = [
    ...wrapper,
    process.execPath,
    place.program,
    'serve',
    '--port',
    '0',
    '--json',
    ...args,
  ];
  const child = start(place, command, environment);
  const errors = collect(child.stderr);
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  const output = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const tooLate = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT_MS);
  const line = await Promise.race([
    once(output, 'line').then(([text]) => text as string),
    ended.then(({ code, signal }) => {
      throw new Error(
        `serve ended with ${code ?? signal} before it listened: ${errors().slice(0, 2000)}`,
      );
    }),
  ]);
  clearTimeout(tooLate);
  const { url } = JSON.parse(line) as { url: string };
  const stop = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    return (await ended).code;
  };
  return { url, pid: child.pid ?? 0, ended, errors, stop };
}

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs one command to its end. */
export async function run(
  place: ProgramPlace,
  args: readonly string[],
  wrapper: readonly string[] = [],
): Promise<Ran> {
  const child = start(place, [...wrapper, process.execPath, place.program, ...args], {});
  const [out, err] = [collect(child.stdout), collect(child.stderr)];
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out: out(), err: err() };
}

/** Runs a command and kills it after a time. @returns whether it was killed before its end */
export async function runAndKill(
  place: ProgramPlace,
  args: readonly string[],
  afterMs: number,
): Promise<boolean> {
  const child = start(place, [process.execPath, place.program, ...args], {});
  const timer = setTimeout(() => child.kill('SIGKILL'), afterMs);
  const [, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  clearTimeout(timer);
  return signal === 'SIGKILL';
}

/** Runs a command that must succeed. */
export async function mustRun(place: ProgramPlace, args: readonly string[]): Promise<string> {
  const { code, out, err } = await run(place, args);
  if (code !== 0) throw new Error(`ticketscan ${args.join(' ')} ended with ${code}: ${err}`);
  return out;
}

const children = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

function start(
  { folder, storeUrl }: ProgramPlace,
  [command = '', ...args]: readonly string[],
  environment: Readonly<Record<string, string>>,
): ChildProcess {
  const env = { ...process.env, NO_COLOR: '1', TICKETSCAN_STORE: storeUrl, ...environment };
  const child = spawn(command, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

function collect(stream: NodeJS.ReadableStream | null): () => string {
  let text = '';
  stream?.on('data', (chunk) => {
    text += chunk;
  });
  return () => text;
}
