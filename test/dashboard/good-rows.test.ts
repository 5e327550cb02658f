import { expect, test } from 'vitest';
import { partedList } from '../../src/dashboard/api/good-rows.ts';

test.each([
  [
    'headings, rows with line breaks in a cell, and blank lines',
    ['\ufeffVorname;Nachname', 'Ada;Byron', '"Grete', 'Maria";Hermann', '', 'Emmy;"Noether"'],
    [3],
    ['Vorname;Nachname', 'Ada;Byron', 'Emmy;"Noether"', ''],
    ['Vorname;Nachname', '"Grete', 'Maria";Hermann', '', ''],
  ],
  [
    'the separator that Excel is told, and lines that end with CR LF',
    ['sep=;\r', 'a;b\r', '1;2\r', '3;4\r'],
    [4],
    ['sep=;\r', 'a;b\r', '1;2\r', ''],
    ['sep=;\r', 'a;b\r', '3;4\r', ''],
  ],
  [
    'an open quote, after which good rows follow',
    ['a,b', '"1,2', '3,4', '5,6'],
    [2],
    ['a,b', '3,4', '5,6', ''],
    ['a,b', '"1,2', ''],
  ],
])('a list is parted with %s', async (_, lines, badLines, good, bad) => {
  const parted = await partedList(lines.join('\n'), badLines, true);
  expect(parted.good.split('\n')).toEqual(good);
  expect(parted.bad.split('\n')).toEqual(bad);
});

test('JSON Lines are parted by their lines', async () => {
  expect(await partedList('{"a":1}\n{"a":\n{"a":3}\n', [2], false)).toEqual({
    good: '{"a":1}\n{"a":3}\n\n',
    bad: '{"a":\n',
  });
});
