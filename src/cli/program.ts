import { Command } from 'commander';
import { sanitizedMessage } from '../kit/safe-text.ts';
import type { CliIo } from '../terminal/io.ts';
import { VERSION } from '../terminal/version.ts';
import { COMMANDS, type CommandEntry } from './command-table.ts';
import { addExamples } from './examples.ts';
import { styleHelp } from './help-style.ts';
import { nameNearestChoices } from './named-choices.ts';
import { addVerbosity } from './verbosity.ts';

const EXAMPLES = `
Examples:
  ticketscan demo                                    see everything work in a minute
  ticketscan seed --out target.json                  sample data in ./ticketscan.db
  ticketscan serve                                   serve it on http://127.0.0.1:8080
  ticketscan mint --event "Summer pool" --type single --count 3 --out tickets

Exit codes: 0 success, 1 the answer is no, 2 wrong usage or configuration, 3 the other side is unreachable,
4 an internal error. docs/configuration.md lists the options that the environment or a configuration file can set.`;

/**
 * The command line with all its commands. Only the options and subcommands of those that `isWanted` names are loaded; of the
 * others the program knows the name and the summary.
 */
export async function buildProgram(
  io: CliIo,
  isWanted: (name: string) => boolean,
): Promise<Command> {
  const program = new Command('ticketscan')
    .description(
      'May this ticket enter now? Scan service, tickets, simulator and checker in one program.',
    )
    .version(VERSION)
    // Options after a subcommand belong to that subcommand (`log prune --store …`).
    .enablePositionalOptions()
    .addHelpText('after', EXAMPLES);
  for (const entry of COMMANDS) {
    program.addCommand(isWanted(entry.name) ? await loaded(entry, io) : placeholder(entry));
  }
  addVerbosity(program, io);
  quietExit(program, io);
  nameNearestChoices(program);
  styleHelp(program);
  return program;
}

async function loaded(entry: CommandEntry, io: CliIo): Promise<Command> {
  const { command } = await entry.load();
  const loaded = command(io).name(entry.name).summary(entry.summary);
  addExamples(loaded, entry.name);
  return loaded;
}

function placeholder(entry: CommandEntry): Command {
  return new Command(entry.name).summary(entry.summary).description(entry.summary);
}

/** Commander would end the process itself; here the caller decides. A usage error is 2 and refers to --help. */
function quietExit(command: Command, io: CliIo): void {
  command.exitOverride();
  command.showHelpAfterError(hintOf(command));
  command.configureOutput({
    writeOut: (text) => void io.stdout.write(text),
    // Commander repeats unknown arguments in its message.
    writeErr: (text) => void io.stderr.write(sanitizedMessage(text)),
    outputError: (text, write) => write(withSameWords(command, text)),
  });
  for (const child of command.commands) quietExit(child, io);
}

/** Commander compares letters: for it, `--max-keys` is far from `--keys-max`. */
function withSameWords(command: Command, text: string): string {
  const [, given] = /unknown option '(--[\w-]+)'/.exec(text) ?? [];
  if (given === undefined || text.includes('Did you mean')) return text;
  const words = (flag: string) => flag.slice(2).split('-').toSorted().join(' ');
  const meant = command.options.find(({ long }) => long && words(long) === words(given));
  return meant === undefined ? text : `${text.trimEnd()}\n(Did you mean ${meant.long}?)\n`;
}

/** What to do after a usage error. */
function hintOf(command: Command): string {
  const isGroup = command.commands.length > 0 && command.registeredArguments.length === 0;
  if (!isGroup) return '(add --help for the options)';
  const path = command.parent ? `ticketscan ${command.name()}` : 'ticketscan';
  return `(${path} --help lists the commands)`;
}
