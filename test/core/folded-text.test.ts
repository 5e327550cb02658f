import { expect, test, vi } from 'vitest';
import {
  foldedText,
  foldedWithTwoLetters,
  isFound,
  isInName,
  isSameName,
  searchableName,
  searchTerms,
} from '../../src/core/folded-text.ts';

test.each([
  ['Öztürk', 'ozturk'],
  ['OZTURK', 'ozturk'],
  ['ISPARTA ısparta İstanbul', 'isparta isparta istanbul'],
  ['Straße STRASSE ẞ', 'strasse strasse ss'],
  ['Łódź Ærø Đorđe Þór Œuvre', 'lodz aero dorde thor oeuvre'],
  ['ΟΔΥΣΣΕΥΣ Οδυσσεύς', 'οδυσσευσ οδυσσευσ'],
  ['Guðrún Ħal Ŧim', 'gudrun hal tim'],
  ['Семён', 'семен'],
  ["O’Brien O'Brien", 'obrien obrien'],
  ['Ｗｉｄｅ ﬁne', 'wide fine'],
  ['Müller-Lüdenscheidt, Anna (A.)', 'muller ludenscheidt anna a'],
  ['山田 太郎', '山田 太郎'],
  ['tkt_ab12cd_0123', 'tkt_ab12cd_0123'],
])('%s is compared as %s', (text, folded) => {
  expect(foldedText(text)).toBe(folded);
  expect(foldedText(folded)).toBe(folded);
});

const INVISIBLE = {
  'zero-width space': '\u200b',
  'soft hyphen': '\u00ad',
  'byte-order mark': '\ufeff',
  'word joiner': '\u2060',
  'zero-width joiner': '\u200d',
  'right-to-left mark': '\u200f',
  'combining grapheme joiner': '\u034f',
  'Hangul filler': '\u3164',
  'variation selector': '\ufe0f',
  tag: '\u{e0041}',
};

test.each(Object.entries(INVISIBLE))('a %s in a name changes nothing', (_, sign) => {
  expect(foldedText(`${sign}Love${sign}lace${sign}`)).toBe('lovelace');
  // Between a letter and its accent, too.
  expect(foldedText(`u${sign}\u0308ber`)).toBe('uber');
  expect(isSameName(`Sommer${sign}bad`, 'sommerbad')).toBe(true);
  expect(isInName(searchTerms('Ada Lovelace'), searchableName(['Ada', `Love${sign}lace`]))).toBe(
    true,
  );
  expect(isInName(searchTerms(`Ada Love${sign}lace`), searchableName(['Ada', 'Lovelace']))).toBe(
    true,
  );
});

test.each([
  ['Müller', 'Mueller'],
  ['Mueller', 'Müller'],
  ['Muller', 'Müller'],
  ['MUELLER', 'Mu\u0308ller'],
  ['Soeren Aaberg', 'Søren Åberg'],
  ['Jürgen Mueller', 'Juergen Müller'],
  ['annalena', 'Anna-Lena'],
  ['Anna-Lena', 'Annalena'],
  ['vonderleyen', 'von der Leyen'],
  ['juergenandre', 'Jürgen-André'],
  ['O´Brien', 'O’Brien'],
])('%s finds %s', (search, name) => {
  expect(isInName(searchTerms(search), searchableName([name]))).toBe(true);
});

test.each([
  ['Mueller', 'Muller'],
  ['Manül', 'Manual'],
  ['Michal', 'Michel'],
  ['Adalovelace', 'Ada'],
])('%s does not find %s', (search, name) => {
  expect(isInName(searchTerms(search), searchableName([name]))).toBe(false);
});

test('the parts of a name are not written together: a search has no words across them', () => {
  expect(isInName(searchTerms('adalovelace'), searchableName(['Ada', 'Lovelace']))).toBe(false);
});

test.each([
  ['Summer pool', 'SUMMER  POOL', true],
  ['Hallenbad Süd', 'hallenbad sued', true],
  ['Hallenbad Süd', 'Hallenbad Sud', true],
  ['Pool 1', 'Pool 2', false],
  ['!!', '??', false],
  ['!!', '!!', true],
])('%s and %s are one name: %s', (one, other, same) => {
  expect(isSameName(one, other)).toBe(same);
  expect(isSameName(other, one)).toBe(same);
});

const ID = 'tkt_ab12cd_0123456789li3456789z';

test.each([
  ['tkt_ab12cd_0123', true],
  ['TKT_AB12CD_01234 56789', true],
  ['789z', true],
  ['li345 6789z', true],
  ['li', false],
  ['9z', false],
  ['ab12cd', false],
  ['6789li', false],
  ['Ada 789z', true],
  ['Bob 789z', false],
])('an identifier is found at its ends only: %s %s', (search, found) => {
  expect(isFound(searchTerms(search), ID, searchableName(['Ada']))).toBe(found);
});

test('a search of blanks searches for nothing, one of signs finds nothing', () => {
  expect(searchTerms(' \t').words).toEqual([]);
  expect(isInName(searchTerms('…'), searchableName(['Ada', 'Lovelace']))).toBe(false);
  expect(foldedText('a-b‐c–d')).not.toContain('-');
});

test.each(['Early Bird 2027', 'VIP', 'tkt_ab12 x', 'İ', 'a  b', ' a', 'a-b'])(
  '%s has the same spellings with a character that nobody sees',
  (text) => {
    for (const fold of [foldedText, foldedWithTwoLetters])
      expect(fold(`${text}\u200b`)).toBe(fold(text));
  },
);

test('no text and plain words are folded without the work for every script: most parts of a ticket are empty', () => {
  const normalized = vi.spyOn(String.prototype, 'normalize');
  try {
    expect(searchableName(['', 'Anna', '', 'Row 7'])).toBe('anna row 7 row7');
    expect(normalized).not.toHaveBeenCalled();
  } finally {
    normalized.mockRestore();
  }
});
