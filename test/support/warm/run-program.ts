import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { askTestRunner } from '../on-demand/ask.ts';
import { type Command, PROGRAM, type Ran } from './command.ts';

/** Node reads these at its start, and chalk when it is loaded; clocks of a time zone are kept once they were shown. */
const READ_AT_START = /^(?:NODE_|FORCE_COLOR|LD_|TZ$)/;

/**
 * Runs the built program to its end: in a program that is running already where there is one and it is free, and in a
 * process of its own otherwise. A command that decides about its process itself needs `runProcess`.
 */
export async function runProgram(command: Command): Promise<Ran> {
  return (await inWarmProgram(command)) ?? runProcess([process.execPath, PROGRAM], command);
}

/** Runs a program to its end in a process of its own. @param program its path, after what starts it */
export async function runProcess(
  [path = '', ...before]: readonly string[],
  { args, cwd, env }: Command,
): Promise<Ran> {
  const child = spawn(path, [...before, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = once(child, 'close') as Promise<[number | null]>;
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { code, out, err };
}

/** Undefined where no such program runs, where it is busy, and for a command that it cannot run as a process would. */
export async function inWarmProgram(command: Command): Promise<Ran | undefined> {
  const own = Object.keys(command.env).filter((name) => command.env[name] !== process.env[name]);
  const isItsOwn = command.args[0] === 'complete' || own.some((name) => READ_AT_START.test(name));
  if (isItsOwn) return undefined;
  const path = await askTestRunner(`program ${process.env['VITEST_POOL_ID'] ?? ''}`);
  if (path === undefined) return undefined;
  const socket = connect(path).setEncoding('utf8');
  const parts: AsyncIterator<string> & AsyncIterable<string> = socket.iterator();
  // It says that it is ready, or is busy and leaves. One that is just ending does neither.
  const greeting = await parts.next().catch(() => undefined);
  if (greeting === undefined || greeting.done) return undefined;
  socket.write(`${JSON.stringify(command)}\n`);
  let answer = '';
  for await (const part of parts) answer += part;
  if (answer === '') throw new Error(`the program ended while it ran ${command.args.join(' ')}`);
  return JSON.parse(answer) as Ran;
}
