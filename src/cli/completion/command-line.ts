import type { Argument, Command, Option } from 'commander';

/** A command line up to the cursor, as far as it is understood. */
export interface CommandLine extends Where {
  readonly command: Command;
  /** True in `help keys …`: only names of commands follow. */
  readonly isHelp: boolean;
  /** The word at the cursor; empty at the beginning of a word. */
  readonly current: string;
}

/** What the current word may be. */
interface Where {
  /** What it gives a value to, and the characters of the word in front of that value. */
  readonly place?: { readonly target: Option | Argument; readonly prefix: string };
  readonly mayBeOption: boolean;
  readonly mayBeCommand: boolean;
}

/**
 * Reads a command line that is not complete, which commander itself would refuse.
 * @param words after the program's name; the last is the one at the cursor
 */
export function readCommandLine(program: Command, words: readonly string[]): CommandLine {
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

/** An option in front of which another option may stand although a value could come. */
function takesMoreOrNone(option: Option): boolean {
  return option.optional || option.variadic;
}

/** A command line as bash has it, up to the cursor. */
export interface BashLine {
  /** Without their quotes; the last is the one at the cursor, empty at its beginning. */
  readonly words: readonly string[];
  /** True when a part of the last word is in quotes that are closed: bash would replace that part too. */
  readonly isMixed: boolean;
  /** Characters of the last word that stay: bash replaces only what is behind them. */
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
export function readBashLine(line: string, breaks: string): BashLine {
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
