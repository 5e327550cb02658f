import { expect, test } from 'vitest';
import { csvRecords } from '../../src/kit/csv.ts';

/** `2 Ada|single` for a record of two cells that begins on line 2, `2 row_quote_open` for one that is none. */
async function read(lines: readonly string[]): Promise<string[]> {
  const records: string[] = [];
  for await (const record of csvRecords(asStream(lines))) {
    const text = 'cells' in record ? record.cells.join('|') : record.reason;
    records.push(`${record.line} ${text}`);
  }
  return records;
}

async function* asStream(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

test.each([
  [[], []],
  [[''], []],
  [['\r', 'a\r'], ['2 a']],
  [['a\rb,c\r'], ['1 a\rb|c']],
  [['"",x'], ['1 |x']],
  [
    ['"a"\r', 'b'],
    ['1 a', '2 b'],
  ],
  [['a,"b"\r'], ['1 a|b']],
  [['a,"b"\rc'], ['1 row_quote_end']],
  [['a,""b,c'], ['1 row_quote_end']],
  [['a,'], ['1 a|']],
  [[',a'], ['1 |a']],
  [['a;"b,c,d"'], ['1 a|b,c,d']],
  [
    ['"a;;;",b', 'c,d'],
    ['1 a;;;|b', '2 c|d'],
  ],
  [['a\tb;c\td'], ['1 a|b;c|d']],
  [
    ['xsep=;', 'a'],
    ['1 xsep=|', '2 a'],
  ],
  [
    ['a;b,c,d', '"x"y'],
    ['1 a;b|c|d', '2 row_quote_end'],
  ],
  [
    ['no delimiter', 'a,b'],
    ['1 no delimiter', '2 a|b'],
  ],
  [['SEP=|\r', 'a|b'], ['2 a|b']],
  [
    ['sep=||', 'a'],
    ['1 sep=||', '2 a'],
  ],
  [
    ['a,b', '"open', 'c,d'],
    ['1 a|b', '2 row_quote_open', '3 c|d'],
  ],
  [
    ['a,b', '"open', '', '"c,d'],
    ['1 a|b', '2 row_quote_end', '4 row_quote_open'],
  ],
])('%j are the records %j', async (lines, records) => {
  expect(await read(lines)).toEqual(records);
});

test('a quote may stay open over a hundred lines; after more it was left open', async () => {
  const lines = (count: number) => [
    '"first',
    ...Array.from({ length: count - 1 }, (_, index) => `line ${index}`),
    'last"',
    'Ada',
  ];
  expect((await read(lines(100))).map((one) => one.split('\n')[0])).toEqual(['1 first', '102 Ada']);
  const records = await read(lines(101));
  expect(records.slice(0, 2)).toEqual(['1 row_quote_open', '2 line 0']);
  expect(records.at(-1)).toBe('103 Ada');
});

test('a quote may stay open over 65,536 characters; after more it was left open', async () => {
  const lines = (characters: number) => ['"', 'x'.repeat(characters - 1), '"', 'Ada'];
  expect((await read(lines(65_536))).map((one) => one.length)).toEqual([65_539, 5]);
  expect((await read(lines(65_537))).map((one) => one.slice(0, 20))).toEqual([
    '1 row_quote_open',
    `2 ${'x'.repeat(18)}`,
    '3 row_quote_open',
    '4 Ada',
  ]);
});

test('each faulty line is told as soon as it is known to be one', async () => {
  const records = csvRecords(asStream(['"a"x', '"b"x', 'Ada']));
  const reasons: unknown[] = [];
  for await (const record of records) reasons.push('reason' in record ? record.message : record);
  expect(reasons).toEqual([
    'after the closing quote of cell 1 comes "x"; a quote inside a cell is written twice',
    'after the closing quote of cell 1 comes "x"; a quote inside a cell is written twice',
    { line: 3, cells: ['Ada'] },
  ]);
});
