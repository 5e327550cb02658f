import { foldedWithTwoLetters } from '../../core/folded-text.ts';

const TOTAL =
  /^(?:summen?|gesamt(?:summe)?|insgesamt|total|totals|grand total|subtotal|zwischensumme|sum|anzahl|ergebnis|count)(?: [\d ]+)?$/;
/** How a sum with more words begins (`Summe Karten`, `Total général`), in the languages of headings. */
const BEGINS_TOTAL =
  /^(?:summen?|summa|gesamt\w*|insgesamt|(?:grand |sub ?)?tota(?:l|ls|le|les|li|al|is)|zwischensumme|sum|suma|somme|soma|anzahl|ergebnis|count|number of|nombre de|numero d[ei]|aantal|antal|razem|liczba|celkem|soucet|pocet|i alt|ialt|sammanlagt)(?= |$)/;
const NUMBER = /^[\p{Sc}\s]*-?\d[\d.,'\s]*(?:\p{Sc}|EUR|USD|CHF|GBP|%)?$/iu;
/** `2 Tickets` */
const COUNTED = /^\d+(?:[.,']\d+)*\s+\p{L}+\.?$/u;
const DATE = /(?<!\d)(?:\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d{2})|\d{4}-\d{2}-\d{2})(?!\d)/u;
const TIME = /(?<!\d)\d{1,2}:\d{2}(?!\d)/u;

/** Whether a row adds up the others, as tills write below a list: a word for it, and otherwise numbers only. */
export function isTotal(cells: readonly string[]): boolean {
  const [first = '', ...others] = cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
  // Nearly each row has another text, and to fold the first one costs more than to look at the others.
  if (!others.every((cell) => NUMBER.test(cell) || COUNTED.test(cell))) return false;
  const text = foldedWithTwoLetters(first);
  if (TOTAL.test(text)) return true;
  const hasNumber = others.length > 0 ? !others.some((cell) => DATE.test(cell)) : /\d/.test(text);
  return hasNumber && BEGINS_TOTAL.test(text);
}

/** What programs write in front of a list or below it, where it stands alone in its row. */
const REMARK =
  /^(?:export|erstellt|erzeugt|generated|generato|generado|genere|gedruckt|printed|imprime|druckdatum|created (?:on|at|by)|(?:stand|seite|page|pagina|sida|side|strona|strana|datum|date) (?:\d|der|vom|am|of|heute|von)|(?:ende|end) (?:der|of)|hinweis|anmerkung|remarque)/;
/** `Stand: heute`, `(intern)`, `--- Ende ---`, `2 Tickets`: no name begins like this. */
const NO_NAME = /^(?:[^\s:]+\s?:(?:\s|$)|[-*=#(_[]|\d+\s+\p{L})/u;

/**
 * Whether a row says something about the list and names no guest.
 * @param names the cells in which names are
 */
export function isRemark(cells: readonly string[], names: readonly string[]): boolean {
  // A name has no date in it, and no time of the day.
  if (names.some((name) => DATE.test(name) || TIME.test(name))) return true;
  const [only = '', ...others] = cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
  if (others.length > 0 || !names.some((name) => name.trim() === only)) return false;
  return NO_NAME.test(only) || REMARK.test(foldedWithTwoLetters(only));
}

/** The cells below which one may be missing. */
const CELLS_MIN = 3;
/** A guest may have a first name only, and no end: a number, a colon or a second word may make it a note. */
const NOTE = /[\d:]|\S\s+\S/u;
/** How many other rows tell that each has an end. */
const ROWS_MIN = 2;

/**
 * Notices a last row that has at most half of the cells that each other row has, or one alone, which is no name, and no end where each other row
 * has one: a note below the list, and no guest.
 */
export class FilledCells {
  #rows = 0;
  #fewest = Number.POSITIVE_INFINITY;
  #haveEnd = true;
  readonly #end: number;

  /** @param end the index of the ends of tickets; -1 where there are none */
  constructor(end: number) {
    this.#end = end;
  }

  add(cells: readonly string[]): void {
    this.#rows += 1;
    this.#fewest = Math.min(this.#fewest, filled(cells));
    this.#haveEnd &&= this.#hasEnd(cells);
  }

  isOdd(cells: readonly string[]): boolean {
    if (this.#rows === 0) return false;
    const count = filled(cells);
    const isShort = this.#fewest >= CELLS_MIN && count * 2 <= this.#fewest;
    const lacksEnd = this.#rows >= ROWS_MIN && this.#haveEnd && !this.#hasEnd(cells);
    return isShort || (lacksEnd && count === 1 && cells.some((cell) => NOTE.test(cell)));
  }

  #hasEnd(cells: readonly string[]): boolean {
    return (cells[this.#end] ?? '').trim() !== '';
  }
}

function filled(cells: readonly string[]): number {
  return cells.filter((cell) => cell.trim() !== '').length;
}
