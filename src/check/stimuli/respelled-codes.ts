/**
 * Families of section 2.2: genuine codes that are written otherwise. A row is a question on every scan endpoint, in `ticketCode` and, encoded,
 * in `Card`.
 */

/** A genuine code, written otherwise. */
export interface Respelling {
  /** The variant in reports. */
  readonly name: string;
  /** What was done to the code, as the end of a sentence that begins with "where ". */
  readonly what: string;
  /**
   * Writes a code otherwise.
   * @param other another genuine code of the same target
   * @returns undefined for a code that cannot be written so
   */
  readonly spell: (code: string, other: string) => string | undefined;
  /** True where careless software finds the code itself in the text: a consume endpoint is asked only with consent. */
  readonly isCodeInside?: true;
}

type Spell = Respelling['spell'];

/** The code as every byte of it is written in an address. */
const percentEncoded: Spell = (code) =>
  [...Buffer.from(code)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

/** The first letter that has another character for a twin becomes that one; undefined where no letter has. */
const withTwin =
  (twins: Readonly<Record<string, string>>): Spell =>
  (code) => {
    const at = [...code].findIndex((letter) => letter in twins);
    const twin = twins[code[at] ?? ''];
    return twin === undefined ? undefined : code.slice(0, at) + twin + code.slice(at + 1);
  };

const CYRILLIC = { a: 'а', e: 'е', o: 'о', p: 'р', c: 'с', x: 'х', A: 'А', E: 'Е', T: 'Т' };
/** Folding letter case makes the letter of these. */
const FOLDED = { k: '\u212a', K: '\u212a', s: '\u017f', S: '\u017f' };
const SUPERSCRIPT = {
  '1': '¹',
  '2': '²',
  '3': '³',
  '4': '⁴',
  '5': '⁵',
  '6': '⁶',
  '7': '⁷',
  '8': '⁸',
};
/** A full-width letter stands so far behind its letter in Unicode. */
const FULL_WIDTH = 0xfee0;

const fullWidth: Spell = (code) =>
  [...code]
    .map((letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + FULL_WIDTH))
    .join('');

const ifOther =
  (change: (code: string) => string): Spell =>
  (code) => {
    const changed = change(code);
    return changed === code ? undefined : changed;
  };

/** The rows in whose text a code can be found without undoing anything but quotes or Base64. */
const CODE_INSIDE: readonly string[] = ['double-quotes', 'brackets', 'base64'];

type Row = readonly [name: string, what: string, spell: Spell];

const ADDED: readonly Row[] = [
  ['newline-and-more', 'a newline and more came behind the code', (code) => `${code}\nabc`],
  ['line-end-and-more', 'CR LF and more came behind the code', (code) => `${code}\r\nabc`],
  ['nul-and-more', 'U+0000 and more came behind the code', (code) => `${code}\0abc`],
  ['blank-and-more', 'a blank and more came behind the code', (code) => `${code} abc`],
  ['tab-and-more', 'a tab and more came behind the code', (code) => `${code}\tabc`],
  ['comma-and-more', 'a comma and more came behind the code', (code) => `${code},abc`],
  ['query-behind', 'a query came behind the code', (code) => `${code}?gate=1`],
  ['fragment-behind', 'a fragment came behind the code', (code) => `${code}#gate`],
  ['slash-behind', 'a slash came behind the code', (code) => `${code}/`],
  ['dot-behind', 'a dot came behind the code', (code) => `${code}.`],
  ['percent-nul-behind', '"%00" came behind the code', (code) => `${code}%00`],
  ['second-code', 'a second code came behind the code', (code, other) => `${code}${other}`],
  ['second-line', 'a second code came on the next line', (code, other) => `${code}\n${other}`],
  ['line-before', 'a line came before the code', (code) => `abc\n${code}`],
  ['word-before', 'a word came before the code', (code) => `abc ${code}`],
];

const WRITTEN_OTHERWISE: readonly Row[] = [
  ['double-quotes', 'the code was in double quotes', (code) => `"${code}"`],
  ['single-quotes', 'the code was in single quotes', (code) => `'${code}'`],
  ['brackets', 'the code was the one element of an array, as text', (code) => `["${code}"]`],
  ['lower-case', 'the code was in lower case', ifOther((code) => code.toLowerCase())],
  ['upper-case', 'the code was in upper case', ifOther((code) => code.toUpperCase())],
  ['percent-encoded', 'the code was percent-encoded', percentEncoded],
  [
    'escaped-twice',
    'the code was escaped twice for JSON',
    (code) => `\\u00${Buffer.from(code.slice(0, 1)).toString('hex')}${code.slice(1)}`,
  ],
  ['entities', 'the dots were entities of HTML', ifOther((code) => code.replaceAll('.', '&#46;'))],
  [
    'base64',
    'the code was encoded in Base64 once more',
    (code) => Buffer.from(code).toString('base64'),
  ],
  [
    'hexadecimal',
    'the code was in hexadecimal digits',
    (code) => Buffer.from(code).toString('hex'),
  ],
];

const UNICODE: readonly Row[] = [
  ['full-width', 'the code was in full-width letters, which NFKC makes the usual ones', fullWidth],
  ['superscript', 'a digit was superscript, which NFKC makes the usual one', withTwin(SUPERSCRIPT)],
  ['cyrillic', 'a letter was a Cyrillic one that looks alike', withTwin(CYRILLIC)],
  ['folded-letter', 'a letter was another one that folds to the same case', withTwin(FOLDED)],
  ['combining-mark', 'a combining mark stood above the last letter', (code) => `${code}\u0301`],
  [
    'soft-hyphen-inside',
    'a soft hyphen stood in the code',
    (code) => `${code.slice(0, 2)}\u00ad${code.slice(2)}`,
  ],
];

const PATTERNS: readonly Row[] = [
  ['like-any-end', 'the end of the code was "%"', (code) => `${code.slice(0, -4)}%`],
  [
    'like-any-letter',
    'the last letter of the code was "_"',
    ifOther((code) => `${code.slice(0, -1)}_`),
  ],
  ['expression', 'the end of the code was ".*"', (code) => `${code.slice(0, -4)}.*`],
  ['sql', 'the code was followed by SQL', (code) => `${code}' OR '1'='1`],
];

/** Nobody may take these for the code: a manipulated or damaged code is rejected. */
export const RESPELLED_CODES: readonly Respelling[] = familyOf([
  ...ADDED,
  ...WRITTEN_OTHERWISE,
  ...UNICODE,
  ...PATTERNS,
]);

/**
 * Whether a service takes this away from the ends of a code is not said. With it or without it, the code is that of one ticket, with one
 * count.
 */
export const SURROUNDED_CODES: readonly Respelling[] = familyOf([
  ['newline-behind', 'a newline came behind the code', (code) => `${code}\n`],
  ['line-end-behind', 'CR LF came behind the code', (code) => `${code}\r\n`],
  ['blank-behind', 'a blank came behind the code', (code) => `${code} `],
  ['blanks-around', 'blanks came around the code', (code) => `  ${code}  `],
  ['tab-behind', 'a tab came behind the code', (code) => `${code}\t`],
  ['blank-before', 'a blank came before the code', (code) => ` ${code}`],
  ['newline-before', 'a newline came before the code', (code) => `\n${code}`],
  ['no-break-space', 'a no-break space came behind the code', (code) => `${code}\u00a0`],
  ['byte-order-mark', 'a byte-order mark came before the code', (code) => `\ufeff${code}`],
  ['zero-width-space', 'a zero-width space came behind the code', (code) => `${code}\u200b`],
  ['nul-behind', 'U+0000 came behind the code', (code) => `${code}\0`],
  ['nul-before', 'U+0000 came before the code', (code) => `\0${code}`],
  ['padding', 'the signature had the padding of Base64', (code) => `${code}=`],
]);

function familyOf(rows: readonly Row[]): Respelling[] {
  return rows.map(([name, what, spell]) =>
    CODE_INSIDE.includes(name) ? { name, what, spell, isCodeInside: true } : { name, what, spell },
  );
}
