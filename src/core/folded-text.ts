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

/** What passports, tills and keyboards without the letter write for it. */
const TWO_LETTERS: Readonly<Record<string, string>> = {
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  å: 'aa',
  ø: 'oe',
};
const WITH_TWO_LETTERS = /[äöüåø]/g;

/** Nobody sees these: joiners, soft hyphens, byte-order marks, direction marks, fillers. A copied name has them by accident. */
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
/** Marks that stand on or in a letter. */
const MARKS = /[\p{Mn}\p{Me}]/gu;
const APOSTROPHES = /['’‘ʼʹ`´]/g;
/** Blanks, controls and punctuation; `_` is a part of ticket identifiers. */
const SEPARATORS = /[\p{Z}\p{C}\p{Pd}\p{Ps}\p{Pe}\p{Pi}\p{Pf}\p{Po}\u2800]+/gu;

/** The text without the characters that nobody sees. */
export function withoutInvisible(text: string): string {
  return text.replace(INVISIBLE, '');
}

/**
 * Most names and headings, and no text at all: nothing of them changes but the case. A second look at each of thousands would take tens of
 * milliseconds, as does the first use of the expressions for every script.
 */
const PLAIN_WORDS = /^(?:[a-z0-9_]+(?: [a-z0-9_]+)*)?$/i;

/**
 * A text as names are compared: without letter case, accents, punctuation and invisible characters, in every script (ADR 0051).
 * `Öztürk`, `OZTURK` and `öztürk` are one, `ß` is `ss`, the Turkish dotless i is `i`. What is written with two letters for one
 * (`Mueller`) is another spelling: see `spellingsOf`.
 */
export function foldedText(text: string): string {
  if (PLAIN_WORDS.test(text)) return text.toLowerCase();
  return (
    withoutInvisible(text)
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

/** `Jürgen Müller` as `juergen mueller`: what a passport's machine line says. */
export function foldedWithTwoLetters(text: string): string {
  if (PLAIN_WORDS.test(text)) return text.toLowerCase();
  const composed = withoutInvisible(text).normalize('NFC').toLowerCase();
  return foldedText(composed.replace(WITH_TWO_LETTERS, (letter) => TWO_LETTERS[letter] ?? letter));
}

/** The folded forms of a text: one, or two where a letter is also written as two. Both have the same words. */
function spellingsOf(text: string): string[] {
  return [...new Set([foldedText(text), foldedWithTwoLetters(text)])];
}

/**
 * What is kept of a name for searches: each spelling of its parts, and parts of several words written together (`annalena` finds
 * `Anna-Lena`). No word of it is made of two parts.
 */
export function searchableName(parts: readonly string[]): string {
  const spellings = parts.flatMap(spellingsOf);
  const together = spellings
    .filter((one) => one.includes(' '))
    .map((one) => one.replaceAll(' ', ''));
  return [...new Set([...spellings, ...together])].filter((one) => one !== '').join(' ');
}

/** Whether two names are the same to a person; names of signs only must be equal. */
export function isSameName(one: string, other: string): boolean {
  return sameNameAs(other)(one);
}

/** The same for one name and many others. */
export function sameNameAs(name: string): (other: string) => boolean {
  const spellings = spellingsOf(name).filter((spelling) => spelling !== '');
  return (other) =>
    other === name || spellingsOf(other).some((spelling) => spellings.includes(spelling));
}

/** The records with a name: those that have it letter for letter, else those whose name is the same to a person. */
export function recordsNamed<Record extends { readonly name: string }>(
  name: string,
  all: readonly Record[],
): Record[] {
  const exact = all.filter((one) => one.name === name);
  if (exact.length > 0) return exact;
  const isSame = sameNameAs(name);
  return all.filter((one) => isSame(one.name));
}

/** A word of a search: its spellings, of which a name must contain one, or a piece of an identifier. */
interface SearchWord {
  readonly spellings: readonly string[];
  readonly idPiece: string | null;
}

/** What is searched for: each word, or the whole text as the piece of an identifier that is printed in groups. */
export interface SearchTerms {
  /** Empty when nothing is searched for. */
  readonly words: readonly SearchWord[];
  readonly idPiece: string | null;
}

/** Not in any folded text. */
const MATCHES_NOTHING = '-';
/** Shorter pieces are at the ends of too many identifiers. They begin with `tkt_`, so that this is also the shortest beginning. */
const ID_PIECE = /^[a-z0-9_]{4,}$/;

/** What a text searches for. */
export function searchTerms(search: string): SearchTerms {
  if (search.trim() === '') return { words: [], idPiece: null };
  const [first = '', ...others] = spellingsOf(search);
  if (first === '')
    return { words: [{ spellings: [MATCHES_NOTHING], idPiece: null }], idPiece: null };
  const spellings = [first, ...others].map((one) => one.split(' '));
  const words = first.split(' ').map((word, index) => {
    const forms = spellings.map((one) => one[index] ?? word);
    return { spellings: [...new Set(forms)], idPiece: idPieceIn(word) };
  });
  return { words, idPiece: idPieceIn(first.replaceAll(' ', '')) };
}

function idPieceIn(text: string): string | null {
  return ID_PIECE.test(text) ? text : null;
}

/** Whether a name has every word of a search. @param searchable as `searchableName` makes it */
export function isInName({ words }: SearchTerms, searchable: string): boolean {
  return words.every(({ spellings }) => spellings.some((one) => searchable.includes(one)));
}

/** Whether a search finds an object by its identifier, of which it has the first or the last characters, or by its name. */
export function isFound({ words, idPiece }: SearchTerms, id: string, searchable: string): boolean {
  const isAtEnd = (piece: string | null) =>
    piece !== null && (id.startsWith(piece) || id.endsWith(piece));
  return (
    isAtEnd(idPiece) ||
    words.every(
      (word) => isAtEnd(word.idPiece) || word.spellings.some((one) => searchable.includes(one)),
    )
  );
}
