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

/**
 * Reads a line as bash splits it into words. Bash hands the words to a completion in pieces (`--event`, `=`, `Sum`), with their quotes.
 * @param breaks the characters at which bash begins to replace, `COMP_WORDBREAKS`
 */
export function readBashLine(line: string, breaks: string): BashLine {
  const reader = new LineReader(breaks);
  for (const character of line) reader.read(character);
  return reader.end();
}

class LineReader {
  readonly #breaks: string;
  readonly #words: string[] = [];
  #word = '';
  #isBegun = false;
  #isMixed = false;
  /** The one that is open. */
  #quote: '' | '"' | "'" = '';
  #kept = 0;
  #isEscaped = false;

  constructor(breaks: string) {
    this.#breaks = breaks;
  }

  read(character: string): void {
    if (this.#isEscaped) {
      const staysEscape = this.#quote === '"' && !'$`"\\'.includes(character);
      this.#add(staysEscape ? `\\${character}` : character);
      this.#isEscaped = false;
    } else if (character === '\\' && this.#quote !== "'") {
      this.#isEscaped = true;
      this.#isBegun = true;
    } else if (this.#quote !== '') this.#readQuoted(character);
    else this.#readPlain(character);
  }

  end(): BashLine {
    const words = [...this.#words, this.#word];
    return { words, isMixed: this.#isMixed, kept: this.#kept };
  }

  #readQuoted(character: string): void {
    if (character !== this.#quote) {
      this.#add(character);
      return;
    }
    this.#quote = '';
    this.#isMixed = true;
  }

  #readPlain(character: string): void {
    if (character === ' ' || character === '\t') {
      if (this.#isBegun) this.#words.push(this.#word);
      this.#word = '';
      this.#isBegun = false;
      this.#isMixed = false;
      this.#kept = 0;
    } else if (character === '"' || character === "'") {
      this.#quote = character;
      this.#isBegun = true;
      this.#kept = this.#word.length;
    } else {
      this.#add(character);
      if (this.#breaks.includes(character)) this.#kept = this.#word.length;
    }
  }

  #add(character: string): void {
    this.#word += character;
    this.#isBegun = true;
  }
}
