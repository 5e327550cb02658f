import type { Command } from 'commander';
import { TicketscanError } from '../../core/errors.ts';
import type { CliIo } from '../../terminal/io.ts';
import { readBashLine } from './bash-line.ts';
import { complete } from './complete.ts';
import type { Completion } from './completion.ts';

type ProgramFor = (words: readonly string[]) => Promise<Command>;

/**
 * `ticketscan complete SHELL …`, which the completion scripts call. The first line of the answer is `files`, `folders` or empty, a tab, and
 * the text before the path; every other line is a word, a tab and its description.
 * @param args `bash BREAKS LINE` or `zsh|fish -- WORDS…`
 * @throws TicketscanError `usage`
 */
export async function runComplete(
  args: readonly string[],
  io: CliIo,
  programFor: ProgramFor,
): Promise<void> {
  io.stdout.write(await answer(args, programFor));
}

async function answer(
  [shell, ...rest]: readonly string[],
  programFor: ProgramFor,
): Promise<string> {
  const find = async (words: readonly string[]) => complete(await programFor(words), words);
  switch (shell) {
    case 'bash': {
      const line = readBashLine(rest[1] ?? '', rest[0] ?? '');
      if (line.isMixed) return '';
      const { candidates, ...paths } = await find(line.words.slice(1));
      const inserted = candidates.map(({ value }) => ({
        value: value.slice(line.kept),
        about: '',
      }));
      return asLines({ ...paths, candidates: inserted });
    }
    case 'fish': {
      // The last word comes as it was typed, with quotes as in bash.
      const { words } = readBashLine(rest.at(-1) ?? '', '');
      return asLines(await find([...rest.slice(1, -1), words.at(-1) ?? '']));
    }
    case 'zsh':
      return asLines(await find(rest.slice(1)));
    default:
      throw new TicketscanError(
        'usage',
        'Completion scripts call `ticketscan complete`. To get such a script: ticketscan completion bash|zsh|fish',
      );
  }
}

function asLines({ candidates, paths, pathPrefix }: Completion): string {
  const lines = candidates.map(({ value, about }) => `${value}\t${about}`);
  return `${[`${paths ?? ''}\t${pathPrefix ?? ''}`, ...lines].join('\n')}\n`;
}
