import type { Argument, Command, Option } from 'commander';
import { TicketscanError } from '../../core/errors.ts';
import type { CliIo } from '../../terminal/io.ts';
import { suggestionsFor } from '../../terminal/option-values.ts';
import { type CommandLine, readBashLine, readCommandLine } from './command-line.ts';

/** One possible word, with what it is. */
interface Candidate {
  readonly value: string;
  readonly about: string;
}

/** What can stand at the cursor. */
interface Completion {
  /** Whole words that begin as the current one does. */
  readonly candidates: readonly Candidate[];
  /** The shell also offers its own list of these. */
  readonly paths?: 'files' | 'folders';
  /** Characters of the current word in front of a path: `json=` in `--report json=result`. */
  readonly pathPrefix?: string;
}

type ProgramFor = (words: readonly string[]) => Promise<Command>;

/**
 * `ticketscan complete SHELL …`, which the completion scripts call. The first line of the answer is `files`, `folders` or empty, a tab, and
 * the text before the path; every other line is a word, a tab and its description.
 * @param args `bash BREAKS LINE` or `zsh|fish -- WORDS…`
 * @param programFor the program with the command that is called loaded
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
      const { words, isMixed, kept } = readBashLine(rest[1] ?? '', rest[0] ?? '');
      if (isMixed) return '';
      const { candidates, ...paths } = await find(words.slice(1));
      return asLines({
        ...paths,
        candidates: plain(candidates.map((one) => one.value.slice(kept))),
      });
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

/** @param words after the program's name; the last is the one at the cursor, empty at its beginning */
async function complete(program: Command, words: readonly string[]): Promise<Completion> {
  const line = readCommandLine(program, words);
  const { command, current, isHelp, place, mayBeCommand, mayBeOption } = line;
  const { candidates: values, ...paths } = await valuesAt(line);
  const names = mayBeCommand ? subcommandsOf(command) : [];
  const hasOthers = names.length > 0 || place !== undefined || isHelp;
  const options = mayBeOption && (current.startsWith('-') || !hasOthers) ? optionsOf(command) : [];
  const all = [...names, ...values, ...options];
  return { candidates: all.filter(({ value }) => value.startsWith(current)), ...paths };
}

async function valuesAt({ place, current }: CommandLine): Promise<Completion> {
  if (place === undefined) return { candidates: [] };
  const { target, prefix } = place;
  const found = await valuesOf(target, current.slice(prefix.length));
  const candidates = found.candidates.map(({ value, about }) => ({ value: prefix + value, about }));
  const pathPrefix = prefix + (found.pathPrefix ?? '');
  return { ...found, candidates, ...(found.paths && { pathPrefix }) };
}

function subcommandsOf(command: Command): Candidate[] {
  const visible = command.createHelp().visibleCommands(command);
  return visible.map((one) => ({ value: one.name(), about: one.summary() || one.description() }));
}

function optionsOf(command: Command): Candidate[] {
  const visible: readonly Option[] = command.createHelp().visibleOptions(command);
  return visible.flatMap(({ long, short, description }) => {
    const value = long ?? short;
    return value ? [{ value, about: description }] : [];
  });
}

/** The types of values, by the option, or by the name that the help gives to its value: `--out <folder>`, `<from>`. */
const TYPES = {
  file: /^(?:files?|path|card|events\.jsonl|before|after|a|b)$/,
  folder: /^(?:folder|dir)$/,
  secret: /^(?:--key|code|place|token)$/,
  store: /^(?:--store|from|to)$/,
  cases: /^id$/,
  report: /^format=file$/,
} as const;

/** What can be given to an option or argument. @param typed the value so far */
async function valuesOf(target: Option | Argument, typed: string): Promise<Completion> {
  const suggested = suggestionsFor(target);
  if (suggested) return { candidates: plain(suggestedAfter(typed, suggested)) };
  switch (typeOf(target)) {
    case 'file':
      return { candidates: [], paths: 'files' };
    case 'folder':
      return { candidates: [], paths: 'folders' };
    case 'secret':
      return prefixed(typed, ['env:', 'file:'], /^file:/);
    case 'store':
      return prefixed(typed, ['sqlite:', 'json:', 'postgres://', 'memory:'], /^(?:sqlite|json):/);
    case 'report': {
      const { REPORT_FORMATS } = await import('../../check/index.ts');
      return prefixed(
        typed,
        REPORT_FORMATS.map((format) => `${format}=`),
        /^[a-z]+=/,
      );
    }
    case 'cases':
      return { candidates: await casesAndSections() };
    default:
      return { candidates: [] };
  }
}

/** Undefined for free text. */
function typeOf(target: Option | Argument): keyof typeof TYPES | undefined {
  const [, shown] =
    'flags' in target ? (/[<[]([^<>[\]]+?)(?:\.{3})?[>\]]/.exec(target.flags) ?? []) : [];
  const names = 'flags' in target ? [target.long ?? '', shown ?? ''] : [target.name()];
  const types = Object.keys(TYPES) as (keyof typeof TYPES)[];
  return types.find((type) => names.some((name) => TYPES[type].test(name)));
}

/** In a list: another one behind those that are typed. */
function suggestedAfter(
  typed: string,
  { words, isList }: NonNullable<ReturnType<typeof suggestionsFor>>,
): readonly string[] {
  if (!isList) return words;
  const before = typed.slice(0, typed.lastIndexOf(',') + 1);
  const named = new Set(before.split(','));
  return words.filter((word) => !named.has(word)).map((word) => before + word);
}

/** Beginnings of a value; behind those that `beforePath` matches, a file. */
function prefixed(typed: string, beginnings: readonly string[], beforePath: RegExp): Completion {
  const pathPrefix = beforePath.exec(typed)?.[0];
  if (pathPrefix !== undefined) return { candidates: [], paths: 'files', pathPrefix };
  return { candidates: plain(beginnings) };
}

async function casesAndSections(): Promise<Candidate[]> {
  const { listCases } = await import('../../check/index.ts');
  const cases = listCases();
  const sections = [...new Set(cases.map(({ section }) => section))];
  return [
    ...cases.map(({ id, requirement }) => ({ value: id, about: requirement })),
    ...sections.map((section) => ({ value: section, about: `section ${section}` })),
  ];
}

function plain(values: readonly string[]): Candidate[] {
  return values.map((value) => ({ value, about: '' }));
}
