import { Argument, Command } from 'commander';
import type { CliIo } from '../../terminal/io.ts';
import { SHELLS } from '../completion/shells.ts';

const EXAMPLES = `
Examples:
  source <(ticketscan completion bash)                 for this shell only
  source <(ticketscan completion zsh)                  the same, after compinit
  ticketscan completion fish | source

For every new shell:
  ticketscan completion bash > ~/.local/share/bash-completion/completions/ticketscan
  ticketscan completion zsh > DIR/_ticketscan          DIR is a folder of $fpath
  ticketscan completion fish > ~/.config/fish/completions/ticketscan.fish

It completes commands, options, values that are one of a few, files, and check cases.`;

/** `ticketscan completion`: the script that a shell loads. */
export function command(io: CliIo): Command {
  const shells = Object.keys(SHELLS) as (keyof typeof SHELLS)[];
  return new Command('completion')
    .description('Write the script that completes ticketscan command lines in a shell.')
    .addArgument(new Argument('<shell>', 'your shell').choices(shells))
    .addHelpText('after', EXAMPLES)
    .action((shell: keyof typeof SHELLS) => {
      io.stdout.write(SHELLS[shell].script);
    });
}
