import { TicketscanError } from '../../../core/errors.ts';
import { ACCOUNT_NAME_CHARACTERS_MAX } from '../../../core/limits.ts';
import { checkedName } from '../record-checks.ts';

/** The name under which an account is stored: people forget how exactly they spelt it. */
export function foldedName(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}

/** Characters that nobody sees: joiners, fillers, direction marks, the empty Braille pattern. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\u2800]/u;

/** Scripts in everyday use (UAX 31, table 5). A name is written in one of them, or in one of the mixtures of East Asia. */
const SCRIPTS = [
  ...['Latin', 'Greek', 'Cyrillic', 'Arabic', 'Armenian', 'Bengali', 'Devanagari', 'Ethiopic'],
  ...['Georgian', 'Gujarati', 'Gurmukhi', 'Hebrew', 'Kannada', 'Khmer', 'Lao', 'Malayalam'],
  ...['Myanmar', 'Oriya', 'Sinhala', 'Tamil', 'Telugu', 'Thaana', 'Thai', 'Tibetan'],
  'Latin}\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana',
  'Latin}\\p{scx=Han}\\p{scx=Bopomofo',
  'Latin}\\p{scx=Han}\\p{scx=Hangul',
].map((script) => new RegExp(`^[\\p{scx=${script}}\\p{scx=Common}\\p{scx=Inherited}]*$`, 'u'));

/**
 * The name of a new account, as it was given. Existing accounts may have other names: they keep them.
 * @throws TicketscanError `usage` for a name that a person could not tell from another, `conflict` for a reserved one
 */
export function checkedAccountName(name: string): string {
  checkedName(name, ACCOUNT_NAME_CHARACTERS_MAX);
  const compatible = name.normalize('NFKC');
  if (name !== name.trim() || compatible !== compatible.trim()) {
    throw new TicketscanError('usage', 'A name must not begin or end with a space.', {
      reason: 'account_name_spaces',
    });
  }
  if (INVISIBLE.test(name) || INVISIBLE.test(compatible)) {
    throw new TicketscanError('usage', 'A name must not contain invisible characters.', {
      reason: 'account_name_invisible',
    });
  }
  if (!SCRIPTS.some((script) => script.test(compatible))) {
    throw new TicketscanError(
      'usage',
      'All letters of a name must be from one script, such as Latin.',
      { reason: 'account_name_scripts' },
    );
  }
  if (RESERVED.some((reserved) => lettersOf(name).includes(reserved))) throw nameRefused(name);
  return name;
}

/** One answer for names that are taken, look like a taken one, or are reserved: it does not say whose name it is. */
export function nameRefused(name: string): TicketscanError {
  return new TicketscanError(
    'conflict',
    `The name "${name}" is taken, reserved, or too similar to such a name. Choose another.`,
    { reason: 'account_name_taken', values: { name } },
  );
}

/** Letters and digits that look like the first of each group. Names of one script only are compared with it. */
const GROUPS = [
  ...['0oOОоΟοՕօ', 'l1I|ІӀӏΙ∣ǀ', 'iіιıɪɩ', 'aаαɑАΑ', 'bВΒЬь', 'cсСϲϹ', 'dԁԀ', 'eеЕΕ℮', 'gɡց'],
  ...['hһҺհНΗ', 'jјЈϳ', 'kКкΚκ', 'mМΜ', 'nΝո', 'pрРΡρ', 'qԛԚզ', 'rг', 'sѕЅ', 'tТΤ', 'uυս'],
  ...['vνѵѴ', 'wԝԜѡա', 'xхХΧχ', 'yуУүҮΥγ', 'zΖ', '3ЗзӠӡƷ', "'’‘ʼ`", '-‐‒–—−'],
];
const LOOKS = new Map(
  GROUPS.flatMap(([first = '', ...others]) => others.map((other) => [other, first])),
);

/** What a name looks like: two names with the same likeness could be taken for each other. */
export function likenessOf(name: string): string {
  return Array.from(name.normalize('NFKD'), (letter) => LOOKS.get(letter) ?? letter)
    .join('')
    .toLowerCase()
    .replaceAll('m', 'rn')
    .replaceAll('w', 'vv')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Without blanks and signs, and with one letter for i and l, which look alike in capitals. */
function lettersOf(name: string): string {
  return likenessOf(name)
    .replaceAll('i', 'l')
    .replace(/[^\p{L}\p{N}]/gu, '');
}

/** The author in the audit log of changes without an account. */
const RESERVED = ['command line', 'Befehlszeile', 'Kommandozeile'].map(lettersOf);
