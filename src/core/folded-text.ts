/** Letters that Unicode does not decompose, by what people type for them. */
const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ŧ: 't',
  þ: 'th',
  æ: 'ae',
  œ: 'oe',
  ß: 'ss',
  // The form of sigma at the end of a word.
  ς: 'σ',
};
const PLAIN = /[łøđðħŧþæœßς]/g;

/** Marks that stand on or in a letter. */
const MARKS = /[\p{Mn}\p{Me}]/gu;
const APOSTROPHES = /['’‘ʼʹ`´]/g;
/** Blanks, controls and punctuation; `_` is a part of ticket identifiers. */
const SEPARATORS = /[\p{Z}\p{C}\p{Pd}\p{Ps}\p{Pe}\p{Pi}\p{Pf}\p{Po}]+/gu;

/**
 * A text as searches compare it: without letter case, accents and punctuation, in every script (ADR 0051). `Öztürk`, `OZTURK` and
 * `öztürk` are one, `ß` is `ss`, the Turkish dotless i is `i`. German `ue` is not `ü`: it is in many other names.
 */
export function foldedText(text: string): string {
  return (
    text
      .replace(APOSTROPHES, '')
      .normalize('NFKD')
      .replace(MARKS, '')
      // To upper case first: only that makes SS of ß, and I of the dotless i.
      .toUpperCase()
      .toLowerCase()
      .replace(PLAIN, (letter) => PLAIN_LETTERS[letter] ?? letter)
      .replace(SEPARATORS, ' ')
      .trim()
  );
}

/** Not in any folded text. */
const MATCHES_NOTHING = '-';

/** The words of a search, folded: a text matches that contains all of them. Empty when nothing is searched for. */
export function searchWords(search: string): string[] {
  if (search.trim() === '') return [];
  const folded = foldedText(search);
  return folded === '' ? [MATCHES_NOTHING] : folded.split(' ');
}
