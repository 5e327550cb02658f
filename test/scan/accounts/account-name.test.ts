import { expect, test } from 'vitest';
import {
  checkedAccountName,
  likenessOf,
} from '../../../src/service/manage/accounts/account-name.ts';

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
  ['a Cyrillic letter among Latin ones', 'оwnerA'],
  ['a Greek letter among Latin ones', 'οwner'],
  ['letters of a script that nobody writes every day', 'ᎠᎡ'],
  ['nothing', ''],
])('%s is refused', (_what, name) => {
  expect(() => checkedAccountName(name)).toThrow(expect.objectContaining({ code: 'usage' }));
});

test.each([
  'command line',
  'Command Line',
  'COMMAND  LINE',
  'command-line',
  'commandline',
  'Cornrnand line',
  'command l1ne',
  'c0mmand line',
  'ｃｏｍｍａｎｄ line',
  'command\u2009line',
  'the command line',
  'Befehlszeile',
])('no account is called %s', (name) => {
  expect(() => checkedAccountName(name)).toThrow(expect.objectContaining({ code: 'conflict' }));
});

test.each([
  ['OWNER', '0WNER'],
  ['bill', 'biIl'],
  ['bill', 'bi11'],
  ['modern', 'rnodern'],
  ['scope', 'ѕсоре'],
  ['BOB', 'ВОВ'],
  ['TOM', 'ΤΟΜ'],
  ['ada b', 'ada  b'],
  ['ada b', 'ada\u00A0b'],
  ["O'Brien", 'O’Brien'],
  ['ada', 'ａｄａ'],
  ['viva', 'ѵіѵа'],
])('%s and %s look alike', (one, other) => {
  expect(likenessOf(other)).toBe(likenessOf(one));
});

test.each([
  ['ada', 'adä'],
  ['anna', 'hanna'],
  ['gate 1', 'gate 2'],
  ['Müller', 'Muller'],
  ['ben', 'bea'],
])('%s and %s do not', (one, other) => {
  expect(likenessOf(other)).not.toBe(likenessOf(one));
});
