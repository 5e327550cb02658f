import { type Command, CommanderError } from 'commander';
import type { CliIo } from '../terminal/io.ts';
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

/** The program with the command loaded that `args` call or want help for. */
function programFor(args: readonly string[], io: CliIo): Promise<Command> {
  const called = args.find((arg) => !arg.startsWith('-') && arg !== 'help');
  return buildProgram(io, (name) => name === called);
}

/**
 * Turns `help keys create`, `keys help create` and `keys create … --help` into one form, the last. When a command in it does not
 * exist, the result has no `--help`: parsing it fails and names the nearest command.
 */
function withHelpAsOption(program: Command, args: readonly string[]): readonly string[] {
  const end = args.indexOf('--');
  const words = end < 0 ? args : args.slice(0, end);
  const others = words.filter((word) => !isHelpOption(word));
  const { names, isKnown } = namesIn(program, others);
  if (others.length === words.length && !names.includes('help')) return args;
  const path = names.filter((name) => name !== 'help');
  return isKnown ? [...path, '--help'] : path;
}

/** The words that name the command and its subcommands, with `help`; the last may be of no known command. */
function namesIn(program: Command, words: readonly string[]) {
  const names: string[] = [];
  let command = program;
  for (const word of words) {
    if (word.startsWith('-') || command.commands.length === 0) break;
    const child = word === 'help' ? command : command.commands.find((one) => one.name() === word);
    // A command with arguments takes the word for one of them.
    if (!child && command.registeredArguments.length > 0) break;
    names.push(word);
    if (!child) return { names, isKnown: false };
    command = child;
  }
  return { names, isKnown: true };
}

function isHelpOption(arg: string): boolean {
  return arg === '--help' || arg === '-h';
}

/** `--version --json` asks for more than the number. */
function withVersionAsCommand(args: readonly string[]): readonly string[] {
  const [first = '', second] = args;
  const isLong = ['--version', '-V'].includes(first) && second === '--json';
  return isLong ? ['version', ...args.slice(1)] : args;
}
