import { expect, test } from 'vitest';
import { checkedAccountName, foldedName } from '../../../src/features/accounts/account-records.ts';

test.each([
  'ada',
  'Ada Lovelace',
  'gate 3',
  'Jürgen Müller',
  'José',
  'Łukasz',
  "O'Brien",
  'anna@example.org',
  'Ольга',
  'Ελένη',
  '山田 太郎',
  'タナカ',
  '김민준',
  'فاطمة',
  'שרה',
  'ada.b-c_d+e',
  'Anna Иванова',
])('%s is a good name', (name) => {
  expect(checkedAccountName(name)).toBe(name);
});

test.each([
  ['a blank at the end', 'ada '],
  ['a blank in front', ' ada'],
  ['a no-break space at the end', 'ada\u00A0'],
  ['an ideographic space at the end', 'ada\u3000'],
  ['a zero-width space', 'a\u200Bda'],
  ['a zero-width joiner', 'a\u200Dda'],
  ['a byte-order mark', 'ada\uFEFF'],
  ['a soft hyphen', 'a\u00ADda'],
  ['a direction override', '\u202Eada'],
  ['an isolate', 'ada\u2066'],
  ['a grapheme joiner', 'a\u034Fda'],
  ['a Hangul filler', 'ada\u3164x'],
  ['an empty Braille pattern', 'ada\u2800x'],
  ['a variation selector', 'ada\uFE0F'],
  ['a tag character', 'ada\u{E0061}'],
  ['a line separator', 'a\u2028b'],
  ['nothing', ''],
])('%s is refused', (_what, name) => {
  expect(() => checkedAccountName(name)).toThrow(expect.objectContaining({ code: 'usage' }));
});

test.each([
  'command line',
  'Command Line',
  'COMMAND LINE',
  'ｃｏｍｍａｎｄ line',
  'command\u2009line',
  'the command line',
  'Befehlszeile',
  'Kommandozeile',
])('no account is called %s', (name) => {
  expect(() => checkedAccountName(name)).toThrow(expect.objectContaining({ code: 'conflict' }));
});

test.each([
  ['OWNER', 'owner'],
  ['Jürgen', 'JU\u0308RGEN'],
  ['ada b', 'ada\u00A0b'],
  ['ada', 'ａｄａ'],
  ['Strauß', 'STRAUSS'],
])('%s and %s are one name', (one, other) => {
  expect(foldedName(other)).toBe(foldedName(one));
});

test.each([
  ['ada', 'adä'],
  ['owner', '0wner'],
  ['gate 1', 'gate 2'],
])('%s and %s are two', (one, other) => {
  expect(foldedName(other)).not.toBe(foldedName(one));
});
