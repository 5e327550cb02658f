import type { Command } from 'commander';
import { shortened } from '../kit/text.ts';

/** A message of commander about a command line, and the same message in the words of this program. */
type Rewording = readonly [
  said: RegExp,
  say: (command: Command, ...parts: readonly string[]) => string,
];

const REWORDINGS: readonly Rewording[] = [
  [
    /^option '(.*?)' argument '(.*)' is invalid\. (.*)$/s,
    (_, flags, value, why) => refusedValue(longOf(flags), value, why),
  ],
  [
    /^command-argument value '(.*)' is invalid for argument '(.*?)'\. (.*)$/s,
    (_, value, name, why) => refusedValue(`<${name}>`, value, why),
  ],
  [
    /^required option '(.*?)' not specified$/,
    (command, flags = '') =>
      `${longOf(flags)} is missing. Add ${flags}: ${helpOf(command, flags)}.`,
  ],
  [
    /^option '(.*?)' argument missing$/,
    (command, flags = '') =>
      `${longOf(flags)} needs a value. Write ${flags}: ${helpOf(command, flags)}.`,
  ],
  [
    /^missing required argument '(.*?)'$/,
    (command, name = '') => `<${name}> is missing. Give it: ${argumentHelp(command, name)}.`,
  ],
  [
    /^option '(.*?)' cannot be used with option '(.*?)'$/,
    (_, one = '', other = '') =>
      `${longOf(one)} and ${longOf(other)} cannot be combined: give one of them.`,
  ],
];

/** The advice for an option that a command does not have, but another command has. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'check --device-file':
    'check asks a service in the formats of the specification. To ask in that of a device file: ticketscan simulate ADDRESS --device-file FILE --key env:KEY. To judge the device: ticketscan check device --device-file FILE. The file itself: ticketscan device-files check FILE.',
};

/**
 * The message of a refused command line, as every other message of the program is worded.
 * @param text what commander would write, with its line end
 */
export function inOwnWords(command: Command, text: string): string {
  const said = text.replace(/^error: /, '').trimEnd();
  for (const [pattern, say] of REWORDINGS) {
    const found = pattern.exec(said);
    if (found) return `ticketscan: ${say(command, ...found.slice(1))}\n`;
  }
  return `ticketscan: ${withSameWords(command, said)}\n`;
}

/** @param why the reason of commander, or of the parser of that option */
function refusedValue(name: string, value = '', why = ''): string {
  const shown = `"${shortened(value)}"`;
  const [, choices, meant = ''] =
    /^Allowed choices are (.*?)\.( Did you mean .*)?$/s.exec(why) ?? [];
  if (choices !== undefined) {
    const isOne = !choices.includes(', ');
    return `${name} must be ${isOne ? '' : 'one of '}${choices}, not ${shown}.${meant}`;
  }
  const [, bounds] = /^It must be (.*)\.$/s.exec(why) ?? [];
  if (bounds !== undefined) return `${name} must be ${bounds}, not ${shown}.`;
  return `${name} ${shown}: ${why}`;
}

/** `--type <type>` and `-t, --type <type>` are both `--type`. */
function longOf(flags = ''): string {
  return /--[\w-]+/.exec(flags)?.[0] ?? flags;
}

function helpOf(command: Command, flags: string): string {
  return command.options.find((option) => option.flags === flags)?.description ?? 'see --help';
}

function argumentHelp(command: Command, name: string): string {
  const found = command.registeredArguments.find((argument) => argument.name() === name);
  return found?.description || 'see --help';
}

/** Suggests an option with the same words in another order. Commander compares letters, so it does not find `--keys-max` for `--max-keys`. */
function withSameWords(command: Command, said: string): string {
  const [, given] = /^unknown option '(--[\w-]+)'/.exec(said) ?? [];
  const elsewhere = ELSEWHERE[`${command.name()} ${given}`];
  if (elsewhere !== undefined) return `${said}: ${elsewhere}`;
  if (given === undefined || said.includes('Did you mean')) return said;
  const words = (flag: string) => flag.slice(2).split('-').toSorted().join(' ');
  const meant = command.options.find(({ long }) => long && words(long) === words(given));
  return meant === undefined ? said : `${said}\n(Did you mean ${meant.long}?)`;
}
