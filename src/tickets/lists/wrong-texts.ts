import { refuse, type TicketscanError } from '../../core/errors.ts';
import { looksGarbled } from './garbled.ts';
import { coveringCells } from './sheet-cells.ts';

/** `="007"`, by which spreadsheets are made to keep a text. */
const AS_FORMULA = /^=\s*".*"$/su;
/** Matches what a spreadsheet shows for a failed formula, in English and German. */
const FORMULA_FAILED =
  /^#(?:NULL!|NUL!|DIV\/0!|VALUE!|WERT!|REF!|BEZUG!|NAME\?|NUM!|ZAHL!|N\/A|NV|SPILL!|CALC!|GETTING_DATA)$/iu;
/** Matches what programs write for a missing value. `Null` is a surname. */
const NO_VALUE = /^(?:NULL|\(null\)|<null>|undefined|NaN|\[object Object\]|\\N)$/u;
/** Letters as a web page writes them: `M&uuml;ller`, `O&#39;Brien`. */
const WEB_LETTER = /&(?:[a-z]{2,8}|#\d{1,6}|#x[\da-f]{1,6});/iu;

/** Whether a cell has a text of a program in place of a text that a person meant. */
function isLeftOver(text: string): boolean {
  const bare = text.trim();
  return [AS_FORMULA, FORMULA_FAILED, NO_VALUE, WEB_LETTER].some((one) => one.test(bare));
}

/**
 * Why no person can have meant the text of a cell; undefined for any other.
 * @param isExported whether the list is one of tickets that exist: what a store has in a name comes back to it
 */
export function wrongText(text: string, isExported: boolean): TicketscanError | undefined {
  const covering = coveringCells(text);
  if (covering) return refuse('row_merged', covering);
  if (looksGarbled(text)) return refuse('row_garbled', { text });
  return !isExported && isLeftOver(text) ? refuse('row_left_over', { text }) : undefined;
}

/** A sign between words that other programs put between cells. */
const OTHER_SEPARATOR = /(?<=[\p{L}"])\s*([|~^¦])\s*(?=[\p{L}"])/u;

/** Why the first line has no headings, where none of them is known: advice about its columns would lead to wrong tickets. */
export function wrongHead(headings: readonly string[]): TicketscanError | undefined {
  const [only = '', ...others] = headings.filter((heading) => heading.trim() !== '');
  if (others.length > 0) return undefined;
  const [, sign] = OTHER_SEPARATOR.exec(only) ?? [];
  if (sign !== undefined) return refuse('list_separator', { sign });
  return headings.length > 1 ? refuse('list_title', { text: only.trim() }) : undefined;
}
