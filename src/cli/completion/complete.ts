import type { Command, Option } from 'commander';
import { type CommandLine, readCommandLine } from './command-line.ts';
import type { Candidate, Completion } from './completion.ts';
import { valuesOf } from './values.ts';

/**
 * What can stand at the end of a command line.
 * @param program with the called command loaded
 * @param words after the program's name; the last is the one at the cursor, empty at its beginning
 */
export async function complete(program: Command, words: readonly string[]): Promise<Completion> {
  const line = readCommandLine(program, words);
  const { candidates, ...paths } = await allFor(line);
  const fitting = candidates.filter(({ value }) => value.startsWith(line.current));
  return { candidates: fitting, ...paths };
}

async function allFor(line: CommandLine): Promise<Completion> {
  const { command, current, place, mayBeCommand, mayBeOption } = line;
  const names = mayBeCommand ? subcommandsOf(command) : [];
  const isOption = current.startsWith('-');
  const values = await valuesAt(line);
  const hasOthers = names.length > 0 || place !== undefined;
  const options =
    mayBeOption && (isOption || !(hasOthers || line.isHelp)) ? optionsOf(command) : [];
  return { ...values, candidates: [...names, ...values.candidates, ...options] };
}

async function valuesAt({ place, current }: CommandLine): Promise<Completion> {
  if (place === undefined) return { candidates: [] };
  const { target, prefix } = place;
  const found = await valuesOf(target, current.slice(prefix.length));
  const candidates = found.candidates.map(({ value, about }) => ({ value: prefix + value, about }));
  return {
    ...found,
    candidates,
    ...(found.paths && { pathPrefix: prefix + (found.pathPrefix ?? '') }),
  };
}

function subcommandsOf(command: Command): Candidate[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((one) => ({ value: one.name(), about: one.summary() || one.description() }));
}

function optionsOf(command: Command): Candidate[] {
  const visible: readonly Option[] = command.createHelp().visibleOptions(command);
  return visible.flatMap(({ long, short, description }) => {
    const value = long ?? short;
    return value ? [{ value, about: description }] : [];
  });
}
