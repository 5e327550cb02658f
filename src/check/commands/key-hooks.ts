import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { didYouMean } from '../../kit/nearest.ts';
import {
  type ChangeOrder,
  CheckUsageError,
  KEY_CHANGES,
  KeyAccessError,
  type KeyChange,
  type KeyHook,
  type KeyHooks,
} from '../index.ts';

const HOOK_MS_MAX = 60_000;

/**
 * Commands of the shell that change keys, by what they do: `disable-key=COMMAND`. They get the key by environment
 * variables, never as arguments, which other users of the machine could read.
 * @throws CheckUsageError for another name, for a name twice, or for one without a command
 */
export function keyHooksFrom(
  texts: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  msMax = HOOK_MS_MAX,
): KeyHooks | undefined {
  const hooks: Partial<Record<KeyChange, KeyHook>> = {};
  for (const text of texts) {
    const at = text.indexOf('=');
    const change = KEY_CHANGES.find((one) => one === text.slice(0, at));
    const command = text.slice(at + 1);
    if (at < 0 || !change || command === '')
      throw new CheckUsageError(
        `"${text}" is not a hook: write NAME=COMMAND.${didYouMean(text.slice(0, Math.max(at, 0)), KEY_CHANGES)} Names: ${KEY_CHANGES.join(', ')}.`,
      );
    if (hooks[change]) throw new CheckUsageError(`--hook ${change}=… is given twice.`);
    hooks[change] = (order) =>
      run({ change, command, env: { ...env, ...variablesOf(order) }, msMax });
  }
  return texts.length === 0 ? undefined : hooks;
}

function variablesOf({ key, type, name, events }: ChangeOrder): Record<string, string> {
  return {
    CHECK_KEY: key,
    CHECK_KEY_TYPE: type,
    ...(name === undefined ? {} : { CHECK_KEY_NAME: name }),
    ...(events === undefined ? {} : { CHECK_KEY_EVENTS: [events].flat().join(',') }),
  };
}

interface Hook {
  readonly change: KeyChange;
  readonly command: string;
  readonly env: Record<string, string | undefined>;
  readonly msMax: number;
}

/** In a process group of its own: Ctrl-C stops the check, which then puts the key back with further hooks. */
async function run({ change, command, env, msMax }: Hook): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const child = spawn(command, {
    shell: true,
    env,
    detached: process.platform !== 'win32',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  // What it says may name the key.
  createInterface({ input: child.stderr }).on('line', (line) =>
    process.stderr.write(`${line.replaceAll(env['CHECK_KEY'] ?? '', '$CHECK_KEY')}\n`),
  );
  const timer = setTimeout(() => {
    killGroup(child);
    resolve(`did not end within ${msMax / 1000} s`);
  }, msMax);
  child.once('error', (error) => resolve(`cannot be run: ${error.message}`));
  child.once('exit', (code) => resolve(code === 0 ? '' : `ended with exit code ${code}`));
  const problem = await promise;
  clearTimeout(timer);
  if (problem !== '') throw new KeyAccessError(`the hook "${change}" ${problem}`);
}

/** The shell and what it started. */
function killGroup(child: ChildProcess): void {
  try {
    if (child.pid === undefined || process.platform === 'win32') child.kill('SIGKILL');
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // it has just ended
  }
}
