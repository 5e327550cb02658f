import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SHELLS } from '../../src/cli/completion/shells.ts';

/**
 * Writes the completion script of each shell into `folder`, in a folder of the shell's name and under the name by which the shell finds it:
 * `bash/ticketscan`, `zsh/_ticketscan`, `fish/ticketscan.fish`, `powershell/ticketscan.ps1`.
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
