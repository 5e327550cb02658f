import { foldedWithTwoLetters } from '../../core/folded-text.ts';

const TOTAL =
  /^(?:summen?|gesamt(?:summe)?|insgesamt|total|totals|grand total|subtotal|zwischensumme|sum|anzahl|ergebnis|count)(?: [\d ]+)?$/;
const NUMBER = /^[\p{Sc}\s]*-?\d[\d.,'\s]*(?:\p{Sc}|EUR|USD|CHF|GBP|%)?$/iu;

/** Whether a row adds up the others, as tills write below a list: a word for it, and otherwise numbers only. */
export function isTotal(cells: readonly string[]): boolean {
  const [first = '', ...others] = cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
  // Nearly each row has another text, and to fold the first one costs more than to look at the others.
  return others.every((cell) => NUMBER.test(cell)) && TOTAL.test(foldedWithTwoLetters(first));
}

/** How many other rows tell what a row looks like. */
const ROWS_MIN = 2;
/** The cells below which one may be missing. */
const CELLS_MIN = 3;

/** Notices a last row that has at most half of the cells that each other row has: a note below the list, and no guest. */
export class FilledCells {
  #rows = 0;
  #fewest = Number.POSITIVE_INFINITY;

  add(cells: readonly string[]): void {
    this.#rows += 1;
    this.#fewest = Math.min(this.#fewest, filled(cells));
  }

  isOdd(cells: readonly string[]): boolean {
    return this.#rows >= ROWS_MIN && this.#fewest >= CELLS_MIN && filled(cells) * 2 <= this.#fewest;
  }
}

function filled(cells: readonly string[]): number {
  return cells.filter((cell) => cell.trim() !== '').length;
}
