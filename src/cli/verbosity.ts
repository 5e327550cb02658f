import { type Command, Option } from 'commander';
import type { CliIo } from '../terminal/io.ts';
import { detail } from '../terminal/messages.ts';

/** Gives every command below `program` `--quiet` and `--verbose`, and applies them before its action. */
export function addVerbosity(program: Command, io: CliIo): void {
  addOptions(program);
  let startedAt = 0;
  program.hook('preAction', (_, action) => {
    const { quiet, verbose } = action.optsWithGlobals<{ quiet?: boolean; verbose?: boolean }>();
    if (quiet) io.verbosity = 'quiet';
    else if (verbose) io.verbosity = 'verbose';
    startedAt = performance.now();
  });
  program.hook('postAction', () => {
    detail(io, `Took ${((performance.now() - startedAt) / 1000).toFixed(2)} s.`);
  });
}

function addOptions(command: Command): void {
  const isGroup = command.commands.length > 0 && command.registeredArguments.length === 0;
  for (const option of [
    new Option('--quiet', 'print results and errors only').conflicts('verbose'),
    new Option('--verbose', 'also say what is read and asked, and how long it takes'),
  ]) {
    // A group has nothing to print; it takes them for the commands below it.
    command.addOption(isGroup ? option.hideHelp() : option);
  }
  for (const child of command.commands) addOptions(child);
}
