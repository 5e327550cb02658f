import type { Command } from 'commander';
import { buildProgram } from '../../../src/cli/program.ts';
import { processIo } from '../../../src/terminal/io.ts';

/** A command that does something, by its name: `keys create`. */
export interface Leaf {
  readonly name: string;
  readonly command: Command;
}

/** Groups that are commands of their own as well. */
const ALSO_COMMANDS = ['log', 'record', 'check', 'stats'];

/** Every command that does something, in the order of `ticketscan --help`. */
export async function leavesOf(): Promise<Leaf[]> {
  const below = (command: Command, name: string): Leaf[] => {
    const children = command.commands.flatMap((one) => below(one, `${name} ${one.name()}`.trim()));
    const isLeaf = children.length === 0 || ALSO_COMMANDS.includes(name);
    return isLeaf ? [{ name, command }, ...children] : children;
  };
  return below(await buildProgram(processIo(), () => true), '');
}

export function optionOf({ command }: Leaf, long: string) {
  return command.options.find((option) => option.long === long);
}

export function helpOf({ command }: Leaf): string {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text) });
  command.outputHelp();
  return help;
}
