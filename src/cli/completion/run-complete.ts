import type { Command } from 'commander';
import { TicketscanError } from '../../core/errors.ts';
import type { CliIo } from '../../terminal/io.ts';
import { forBash, readBashLine } from './bash-line.ts';
import { complete } from './complete.ts';
import type { Completion } from './completion.ts';

type ProgramFor = (words: readonly string[]) => Promise<Command>;

/**
 * `ticketscan complete SHELL …`, which the completion scripts call. The first line of the answer is `files`, `folders` or empty, a tab, and
 * the text before the path; every other line is a word, a tab and its description.
 *
 * It ends the process, because a connection that hangs must not keep the shell waiting.
 * @param args `bash BREAKS LINE`, `zsh|fish -- WORDS…`, or `powershell` with the words as JSON in `TICKETSCAN_WORDS`
 * @throws TicketscanError `usage`
 */
export async function runComplete(
  args: readonly string[],
  io: CliIo,
  programFor: ProgramFor,
): Promise<void> {
  const text = await answer(args, io, programFor).catch((error: unknown) => {
    if (error instanceof TicketscanError && error.code === 'usage') throw error;
    return '';
  });
  io.stdout.write(text, () => process.exit(0));
}

async function answer(
  [shell, ...rest]: readonly string[],
  io: CliIo,
  programFor: ProgramFor,
): Promise<string> {
  const find = async (words: readonly string[]) => complete(await programFor(words), words, io);
  switch (shell) {
    case 'bash': {
      const line = readBashLine(rest[1] ?? '', rest[0] ?? '');
      if (line.isMixed) return '';
      const { candidates, ...paths } = await find(line.words.slice(1));
      const inserted = candidates.map(({ value }) => ({ value: forBash(value, line), about: '' }));
      return asLines({ ...paths, candidates: inserted });
    }
    case 'fish': {
      // The last word comes as it was typed, with quotes as in bash.
      const { words } = readBashLine(rest.at(-1) ?? '', '');
      return asLines(await find([...rest.slice(1, -1), words.at(-1) ?? '']));
    }
    case 'zsh':
      return asLines(await find(rest.slice(1)));
    case 'powershell':
      return asLines(await find(JSON.parse(io.env['TICKETSCAN_WORDS'] ?? '[]') as string[]));
    default:
      throw new TicketscanError(
        'usage',
        'Completion scripts call `ticketscan complete`. To get such a script: ticketscan completion bash|zsh|fish|powershell',
      );
  }
}

function asLines({ candidates, paths, pathPrefix }: Completion): string {
  const lines = candidates.map(({ value, about }) => `${value}\t${about}`);
  return `${[`${paths ?? ''}\t${pathPrefix ?? ''}`, ...lines].join('\n')}\n`;
}
