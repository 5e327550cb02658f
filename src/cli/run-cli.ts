import { type Command, CommanderError } from 'commander';
import type { CliIo } from '../terminal/io.ts';
import { calledCommand, withHelpAsOption } from './asked-help.ts';
import { buildProgram } from './program.ts';

/** Runs one command line. Imports only the module of that command, to start quickly. */
export async function runCli(args: readonly string[], io: CliIo): Promise<void> {
  if (args[0] === 'complete') {
    const { runComplete } = await import('./completion/complete.ts');
    return runComplete(args.slice(1), io, (words) => programFor(words, io));
  }
  const given = withVersionAsCommand(args);
  const program = await programFor(given, io);
  try {
    await program.parseAsync(withHelpAsOption(program, given), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    io.exit(error.exitCode === 0 ? 0 : 2);
  }
}

/** The program with the command that `args` call. */
function programFor(args: readonly string[], io: CliIo): Promise<Command> {
  const called = calledCommand(args);
  return buildProgram(io, (name) => name === called);
}

/** `--version --json` asks for more than the number. */
function withVersionAsCommand(args: readonly string[]): readonly string[] {
  const [first = '', second] = args;
  const isLong = ['--version', '-V'].includes(first) && second === '--json';
  return isLong ? ['version', ...args.slice(1)] : args;
}
