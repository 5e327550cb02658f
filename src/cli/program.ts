import {
  type Argument,
  Command,
  CommanderError,
  type Help,
  InvalidArgumentError,
  Option,
} from 'commander';
import { TicketscanError } from '../core/errors.ts';
import { didYouMean } from '../kit/nearest.ts';
import { sanitizedMessage } from '../kit/text.ts';
import { VERSION } from '../kit/version.ts';
import { type CliIo, detail } from '../terminal/io.ts';
import { collected, suggestionsFor } from '../terminal/options.ts';
import { COMMAND_GROUPS, type CommandEntry } from './command-table.ts';
import { addExamples } from './examples.ts';
import { refuseReadAndWritten, refuseSameResult } from './read-and-written.ts';
import { inOwnWords } from './usage-errors.ts';

const MORE = `
ticketscan COMMAND --help shows options and examples. New here? ticketscan demo`;

/**
 * The command line with all its commands. Only the options and subcommands of those that `isWanted` names are loaded; of the
 * others the program knows the name and the summary.
 */
export async function buildProgram(
  io: CliIo,
  isWanted: (name: string) => boolean,
): Promise<Command> {
  const program = new Command('ticketscan')
    .description('May this ticket enter now? Scan service, tickets, simulator and checker.')
    .version(VERSION)
    // Options after a subcommand belong to that subcommand (`log prune --store …`).
    .enablePositionalOptions()
    .addHelpText('after', MORE);
  for (const [group, entries] of Object.entries(COMMAND_GROUPS)) {
    program.commandsGroup(`${group}:`);
    for (const entry of entries)
      program.addCommand(isWanted(entry.name) ? await loaded(entry, io) : placeholder(entry));
  }
  for (const command of withAllBelow(program)) {
    addVerbosity(command);
    exitQuietly(command, io);
    for (const one of [...command.options, ...command.registeredArguments]) {
      nameNearest(one);
      refuseEmptyPlace(one);
    }
    // Defaults and choices look alike on every page: `(default: 8080)`, without quotes and empty lists.
    command.configureHelp({ optionDescription });
  }
  program.configureHelp({ optionDescription, ...ONE_SCREEN });
  applyVerbosity(program, io);
  return program;
}

/** The help of the program on one screen: the commands in groups, with one line each, and no common options. */
const ONE_SCREEN: Partial<Help> = {
  visibleOptions: () => [],
  visibleCommands: ({ commands }) => [...commands],
  subcommandTerm: (command) => command.name(),
};

function withAllBelow(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withAllBelow)];
}

async function loaded(entry: CommandEntry, io: CliIo): Promise<Command> {
  const { command } = await entry.load();
  const loaded = (command(io) as Command).name(entry.name).summary(entry.summary);
  addExamples(loaded, entry.name);
  return loaded;
}

function placeholder(entry: CommandEntry): Command {
  return new Command(entry.name).summary(entry.summary).description(entry.summary);
}

/** Lets the caller end the process instead of commander. A usage error has exit code 2 and refers to --help. */
function exitQuietly(command: Command, io: CliIo): void {
  command.exitOverride();
  command.showHelpAfterError(hintOf(command));
  command.configureOutput({
    writeOut: (text) => void io.stdout.write(text),
    // Commander repeats unknown arguments in its message.
    writeErr: (text) => void io.stderr.write(sanitizedMessage(text)),
    outputError: (text, write) => write(inOwnWords(command, text)),
  });
}

/** The advice after a usage error. */
function hintOf(command: Command): string {
  if (!isGroup(command)) return '(add --help for the options)';
  const path = command.parent ? `ticketscan ${command.name()}` : 'ticketscan';
  return `(${path} --help lists the commands)`;
}

function isGroup(command: Command): boolean {
  return command.commands.length > 0 && command.registeredArguments.length === 0;
}

interface Flags {
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly json?: boolean;
}

/** Applies `--quiet`, `--verbose` and `--json` of a command before its action, and looks at the files that it names. */
function applyVerbosity(program: Command, io: CliIo): void {
  let startedAt = 0;
  program.hook('preAction', (_, action) => {
    const { quiet, verbose, json } = action.optsWithGlobals<Flags>();
    if (json) io.isForMachines = true;
    if (quiet) io.verbosity = 'quiet';
    else if (verbose) io.verbosity = 'verbose';
    refuseReadAndWritten(action, io.env);
    refuseSameResult(action);
    startedAt = performance.now();
  });
  program.hook('postAction', () => {
    detail(io, `Took ${((performance.now() - startedAt) / 1000).toFixed(2)} s.`);
  });
}

function addVerbosity(command: Command): void {
  for (const option of [
    new Option('--quiet', 'print results and errors only').conflicts('verbose'),
    new Option(
      '--verbose',
      'also print what the command reads and requests, and how long it takes',
    ),
  ]) {
    // A group has nothing to print; it takes them for the commands below it.
    command.addOption(isGroup(command) ? option.hideHelp() : option.helpGroup('Options:'));
  }
}

/** Adds the nearest choice to the message for an unknown value of an option. */
function nameNearest(target: Option | Argument): void {
  const { parseArg } = target;
  const words = suggestionsFor(target)?.words;
  if (parseArg === undefined || words === undefined) return;
  target.parseArg = <Value>(text: string, previous: Value): Value => {
    try {
      return parseArg(text, previous) as Value;
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      throw new InvalidArgumentError(`${error.message}${didYouMean(text, words)}`);
    }
  };
}

/** Matches the name of a value that is a place, and that cannot be empty. */
const PLACES =
  /<(?:\w+=)?(?:file|dir|folder|path|url|base-url|address|host|recording|backup|target|column)(?:\.\.\.)?>$/;

/** Refuses an empty file, folder or address, which would read `The file  cannot be read`. */
function refuseEmptyPlace(target: Option | Argument): void {
  const name = target instanceof Option ? target.long : `<${target.name()}>`;
  const usage = target instanceof Option ? target.flags : `<${target.name()}>`;
  if (!PLACES.test(usage)) return;
  const { parseArg } = target;
  target.parseArg = <Value>(text: string, previous: Value): Value => {
    if (text.trim() === '')
      throw new TicketscanError('usage', `${name} is empty. Give ${usage}: ${target.description}.`);
    if (parseArg) return parseArg(text, previous) as Value;
    return (target.variadic ? collected(text, previous as string[] | undefined) : text) as Value;
  };
}

function optionDescription({
  description,
  argChoices,
  defaultValue,
  defaultValueDescription,
}: Option): string {
  const fallback = defaultValueDescription ?? textOf(defaultValue);
  const extra = [
    ...(argChoices ? [`choices: ${argChoices.join(', ')}`] : []),
    ...(fallback === '' ? [] : [`default: ${fallback}`]),
  ];
  return extra.length > 0 ? `${description} (${extra.join('; ')})` : description;
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** Runs one command line. Imports only the module of that command, to start quickly. */
export async function runCli(args: readonly string[], io: CliIo): Promise<void> {
  if (args[0] === 'complete') {
    const { runComplete } = await import('./completion.ts');
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

/** Turns `--version --json` into the command `version`, because it prints more than the number. */
function withVersionAsCommand(args: readonly string[]): readonly string[] {
  const [first = '', second] = args;
  const isLong = ['--version', '-V'].includes(first) && second === '--json';
  return isLong ? ['version', ...args.slice(1)] : args;
}
