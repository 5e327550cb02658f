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
