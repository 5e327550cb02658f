import type { Argument, Command, Option } from 'commander';
import { TicketscanError } from '../core/errors.ts';
import type { CliIo } from '../terminal/io.ts';
import { suggestionsFor } from '../terminal/options.ts';

/** A command line up to the cursor, as far as the program understands it. The scripts for shells know no commands; they ask the program. */
interface CommandLine extends Where {
  readonly command: Command;
  /** True in `help keys …`: only names of commands follow. */
  readonly isHelp: boolean;
  /** The word at the cursor; empty at the beginning of a word. */
  readonly current: string;
}

/** The possible meanings of the current word. */
interface Where {
  /** The option or argument whose value it is, and the characters of the word before that value. */
  readonly place?: { readonly target: Option | Argument; readonly prefix: string };
  readonly mayBeOption: boolean;
  readonly mayBeCommand: boolean;
}

/**
 * Reads a command line that is not complete, which commander itself would refuse.
 * @param words after the program's name; the last is the one at the cursor
 */
function readCommandLine(program: Command, words: readonly string[]): CommandLine {
  const reader = new Reader(program);
  for (const word of words.slice(0, -1)) reader.read(word);
  return reader.end(words.at(-1) ?? '');
}

class Reader {
  #command: Command;
  #isHelp = false;
  #operands = 0;
  #isBehindDashes = false;
  /** The option whose value comes next. */
  #open: Option | undefined;

  constructor(program: Command) {
    this.#command = program;
  }

  read(word: string): void {
    if (this.#open && !(word.startsWith('-') && takesMoreOrNone(this.#open))) {
      if (!this.#open.variadic) this.#open = undefined;
      return;
    }
    this.#open = undefined;
    if (this.#isBehindDashes || !word.startsWith('-')) this.#readName(word);
    else if (word === '--') this.#isBehindDashes = true;
    else this.#readOption(word);
  }

  end(current: string): CommandLine {
    const line = { command: this.#command, isHelp: this.#isHelp, current };
    const isOption = current.startsWith('-') && !this.#isBehindDashes;
    const open = this.#open;
    if (open && !(isOption && takesMoreOrNone(open))) {
      const place = { target: open, prefix: '' };
      return { ...line, place, mayBeOption: false, mayBeCommand: false };
    }
    return { ...line, ...(isOption ? this.#atOption(current) : this.#atName()) };
  }

  #atOption(current: string): Where {
    const [, name = ''] = /^(--[^=]+)=/.exec(current) ?? [];
    const target = this.#option(name);
    if (target === undefined) return { mayBeOption: name === '', mayBeCommand: false };
    return { place: { target, prefix: `${name}=` }, mayBeOption: false, mayBeCommand: false };
  }

  #atName(): Where {
    const isFree = !this.#isBehindDashes;
    const where = { mayBeOption: isFree, mayBeCommand: isFree && this.#operands === 0 };
    const places = this.#command.registeredArguments;
    const last = places.at(-1);
    const target = places[this.#operands] ?? (last?.variadic ? last : undefined);
    return target && !this.#isHelp ? { ...where, place: { target, prefix: '' } } : where;
  }

  #readName(word: string): void {
    if (word === 'help' && this.#operands === 0 && this.#command.commands.length > 0) {
      this.#isHelp = true;
      return;
    }
    const child =
      this.#operands === 0 ? this.#command.commands.find((one) => one.name() === word) : undefined;
    if (child) this.#command = child;
    else this.#operands += 1;
  }

  #readOption(word: string): void {
    const option = this.#option(word);
    if (option?.required || option?.optional) this.#open = option;
  }

  #option(name: string): Option | undefined {
    return this.#command.options.find(({ long, short }) => long === name || short === name);
  }
}

/** True for an option after which another option may follow, although it could take a value. */
function takesMoreOrNone(option: Option): boolean {
  return option.optional || option.variadic;
}

/** A command line as bash has it, up to the cursor. */
interface BashLine {
  /** The words without their quotes; the last is the one at the cursor, empty at its beginning. */
  readonly words: readonly string[];
  /** True if a part of the last word is in closed quotes: bash would replace that part too. */
  readonly isMixed: boolean;
  /** How many characters of the last word stay: bash replaces only the text after them. */
  readonly kept: number;
}

/** A word with its quotes, of which the last may be open; or a blank. */
const WORD = /(?:\\.|"(?:[^"\\]|\\.)*"?|'[^']*'?|[^ \t])+|[ \t]/gs;
/** What a word consists of. */
const PART =
  /\\(?<escaped>.?)|"(?<double>(?:[^"\\]|\\.)*)(?<closed>"?)|'(?<single>[^']*)(?<closedSingle>'?)|(?<other>.)/gs;

/**
 * Reads a line as bash splits it into words. Bash hands the words to a completion in pieces (`--event`, `=`, `Sum`), with their quotes.
 * @param breaks the characters at which bash begins to replace, `COMP_WORDBREAKS`
 */
function readBashLine(line: string, breaks: string): BashLine {
  const found = line.match(WORD) ?? [];
  const isAtBeginning = isBlank(found.at(-1) ?? '');
  const { text, isMixed, kept } = readWord(isAtBeginning ? '' : (found.at(-1) ?? ''), breaks);
  const before = found.slice(0, -1).filter((word) => !isBlank(word));
  return { words: [...before.map((word) => readWord(word, '').text), text], isMixed, kept };
}

function isBlank(word: string): boolean {
  return word === ' ' || word === '\t';
}

function readWord(word: string, breaks: string) {
  let text = '';
  let isMixed = false;
  let kept = 0;
  for (const { groups = {} } of word.matchAll(PART)) {
    const { escaped, double, closed, single, closedSingle, other = '' } = groups;
    // In double quotes a backslash escapes these only.
    const quoted = single ?? double?.replace(/\\([$`"\\])/g, '$1');
    if (quoted !== undefined) kept = text.length;
    text += quoted ?? escaped ?? other;
    if (other !== '' && breaks.includes(other)) kept = text.length;
    if (closed || closedSingle) isMixed = true;
  }
  return { text, isMixed, kept };
}

/** One possible word, with its description. */
interface Candidate {
  readonly value: string;
  readonly about: string;
}

/** The words that are possible at the cursor. */
interface Completion {
  /** Whole words that begin with the current one. */
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

/** The possible values of an option or argument. @param typed the value so far */
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
      const { REPORT_FORMATS } = await import('../check/index.ts');
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

/** The type of a value; undefined for free text. */
function typeOf(target: Option | Argument): keyof typeof TYPES | undefined {
  const [, shown] =
    'flags' in target ? (/[<[]([^<>[\]]+?)(?:\.{3})?[>\]]/.exec(target.flags) ?? []) : [];
  const names = 'flags' in target ? [target.long ?? '', shown ?? ''] : [target.name()];
  const types = Object.keys(TYPES) as (keyof typeof TYPES)[];
  return types.find((type) => names.some((name) => TYPES[type].test(name)));
}

/** The words that are possible at the cursor. In a list, this is a further word after those that are typed. */
function suggestedAfter(
  typed: string,
  { words, isList }: NonNullable<ReturnType<typeof suggestionsFor>>,
): readonly string[] {
  if (!isList) return words;
  const before = typed.slice(0, typed.lastIndexOf(',') + 1);
  const named = new Set(before.split(','));
  return words.filter((word) => !named.has(word)).map((word) => before + word);
}

/** The possible beginnings of a value. If `beforePath` matches, a file follows. */
function prefixed(typed: string, beginnings: readonly string[], beforePath: RegExp): Completion {
  const pathPrefix = beforePath.exec(typed)?.[0];
  if (pathPrefix !== undefined) return { candidates: [], paths: 'files', pathPrefix };
  return { candidates: plain(beginnings) };
}

async function casesAndSections(): Promise<Candidate[]> {
  const { listCases } = await import('../check/index.ts');
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
