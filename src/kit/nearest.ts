import { distance } from 'fastest-levenshtein';

const EDITS_MAX = 3;
/** The length from which words are compared: any two shorter ones are near each other. */
const WORD_CHARACTERS_MIN = 3;
/** Shorter parts are in too many words. */
const PART_CHARACTERS_MIN = 3;

/**
 * The known word that was most likely meant by a mistyped or incomplete one. Upper and lower case are the same.
 * @param editsMax letters that may be wrong, missing or too many; never more than half of the word
 * @returns undefined when none is near
 */
export function nearest(
  given: string,
  known: Iterable<string>,
  editsMax = EDITS_MAX,
): string | undefined {
  const wanted = given.trim().toLowerCase();
  let best: string | undefined;
  let fewest = Number.POSITIVE_INFINITY;
  for (const word of known) {
    const edits = editsBetween(wanted, word.toLowerCase(), editsMax);
    if (edits < fewest) [best, fewest] = [word, edits];
  }
  return best;
}

/** ` Did you mean "single"?` for the end of a message; empty when no known word is near. */
export function didYouMean(given: string, known: Iterable<string>): string {
  const word = nearest(given, known);
  return word === undefined ? '' : ` Did you mean "${word}"?`;
}

/** Two letters that were swapped are one slip, not two. */
function isSwapped(given: string, word: string): boolean {
  return given !== word && [...given].sort().join('') === [...word].sort().join('');
}

/** Infinite for words that are not near each other. A part of a word is further away than any misspelling. */
function editsBetween(given: string, word: string, editsMax: number): number {
  const longer = Math.max(given.length, word.length);
  if (longer < WORD_CHARACTERS_MIN) return Number.POSITIVE_INFINITY;
  if (Math.abs(given.length - word.length) <= editsMax) {
    const edits = distance(given, word) - (isSwapped(given, word) ? 1 : 0);
    if (edits <= editsMax && edits <= longer / 2) return edits;
  }
  const isPart = given.length >= PART_CHARACTERS_MIN && word.includes(given);
  return isPart ? editsMax + word.length - given.length : Number.POSITIVE_INFINITY;
}
