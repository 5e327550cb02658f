import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SHELLS } from '../../src/cli/commands/completion.ts';

/**
 * Writes the completion script of each shell into `folder`, in a folder of the shell's name and under the name by which the shell finds it:
 * `bash/ticketscan`, `zsh/_ticketscan`, `fish/ticketscan.fish`.
 *
 * Debian looks for them in /usr/share/bash-completion/completions, /usr/share/zsh/vendor-completions and
 * /usr/share/fish/vendor_completions.d.
 * @returns the paths of the files below `folder`
 */
export function writeCompletions(folder: string): string[] {
  return Object.entries(SHELLS).map(([shell, { script, file }]) => {
    const path = join(shell, file);
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), script);
    return path;
  });
}
