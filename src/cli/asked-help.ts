import type { Command } from 'commander';

/** The name of the command that `args` call or want help for; undefined without one. */
export function calledCommand(args: readonly string[]): string | undefined {
  return args.find((arg) => !arg.startsWith('-') && arg !== 'help');
}

/**
 * Turns `help keys create`, `keys help create` and `keys create … --help` into one form, the last. When a command in it does not
 * exist, the result has no `--help`: parsing it fails and names the nearest command.
 * @param program with the called command loaded
 */
export function withHelpAsOption(program: Command, args: readonly string[]): readonly string[] {
  const end = args.indexOf('--');
  const words = end < 0 ? args : args.slice(0, end);
  const { names, unknown, isHelp } = namesIn(program, words);
  if (!isHelp && !words.some(isHelpOption)) return args;
  return unknown === undefined ? [...names, '--help'] : [...names, unknown];
}

interface Names {
  /** The command, and its subcommands. */
  readonly names: string[];
  /** The word where another subcommand would stand. */
  readonly unknown?: string;
  /** True when `help` is one of the words. */
  readonly isHelp: boolean;
}

function namesIn(program: Command, words: readonly string[]): Names {
  const names: string[] = [];
  let command = program;
  let isHelp = false;
  for (const word of words.filter((one) => !isHelpOption(one))) {
    if (word.startsWith('-') || command.commands.length === 0) break;
    const child = command.commands.find((one) => one.name() === word);
    if (word === 'help') isHelp = true;
    else if (child === undefined) return { names, isHelp, ...unknownIn(command, word) };
    else {
      names.push(word);
      command = child;
    }
  }
  return { names, isHelp };
}

/** A command with arguments takes the word for one of them. */
function unknownIn(command: Command, word: string): { unknown?: string } {
  return command.registeredArguments.length > 0 ? {} : { unknown: word };
}

function isHelpOption(arg: string): boolean {
  return arg === '--help' || arg === '-h';
}
