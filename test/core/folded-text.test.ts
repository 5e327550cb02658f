import { expect, test } from 'vitest';
import { foldedText, searchWords } from '../../src/core/folded-text.ts';

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

test('a search of blanks searches for nothing, one of signs finds nothing', () => {
  expect(searchWords(' \t')).toEqual([]);
  expect(searchWords('…')).toEqual(['-']);
  expect(foldedText('a-b‐c–d')).not.toContain('-');
});
