import { BASH_SCRIPT } from './scripts/bash.ts';
import { FISH_SCRIPT } from './scripts/fish.ts';
import { ZSH_SCRIPT } from './scripts/zsh.ts';

interface Shell {
  readonly script: string;
  /** Name of the file in which the shell looks for the completion. */
  readonly file: string;
}

/** The shells whose command lines can be completed. */
export const SHELLS = {
  bash: { script: BASH_SCRIPT, file: 'ticketscan' },
  zsh: { script: ZSH_SCRIPT, file: '_ticketscan' },
  fish: { script: FISH_SCRIPT, file: 'ticketscan.fish' },
} as const satisfies Record<string, Shell>;
