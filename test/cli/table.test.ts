import { PassThrough } from 'node:stream';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { processIo } from '../../src/terminal/io.ts';
import { showTable, table } from '../../src/terminal/results.ts';

test('columns are aligned, and names cannot steer the terminal', () => {
  const rows = [
    ['1', 'Ada'],
    ['22', '\u001b[31mred\u0007'],
  ];
  expect(table(['ID', 'NAME'], rows)).toEqual(['ID  NAME', '1   Ada', '22  red']);
});

test('more rows than a call has arguments are no problem', () => {
  expect(
    table(
      ['ID'],
      Array.from({ length: 200_000 }, () => ['1']),
    ),
  ).toHaveLength(200_001);
});

test('without rows there is nothing to show', () => {
  expect(table(['ID'], [])).toEqual([]);
});

const HEADS = ['ID', 'TYPE', 'HOLDER', 'BATCH', 'VALID UNTIL'];
const ID = 'tkt_ab12cd_0123456789abcdefghij';
const ROWS = [
  [ID, 'single', 'Ada Augusta King, Countess of Lovelace', '', '2027-09-30 23:59:59'],
  [ID, 'multi', '', '', ''],
];

test('a table that is too wide loses empty columns, and folds cells between words', () => {
  expect(table(HEADS, ROWS, 80)).toEqual([
    'ID                               TYPE    HOLDER              VALID UNTIL',
    'tkt_ab12cd_0123456789abcdefghij  single  Ada Augusta King,   2027-09-30 23:59:59',
    '                                         Countess of',
    '                                         Lovelace',
    'tkt_ab12cd_0123456789abcdefghij  multi',
  ]);
});

test('on a terminal as narrow as a phone, a row becomes lines of its own with whole ids', () => {
  expect(table(HEADS, ROWS, 40)).toEqual([
    'ID tkt_ab12cd_0123456789abcdefghij',
    '  TYPE single',
    '  HOLDER Ada Augusta King, Countess of',
    '  Lovelace',
    '  VALID UNTIL 2027-09-30 23:59:59',
    'ID tkt_ab12cd_0123456789abcdefghij',
    '  TYPE multi',
  ]);
});

test('what fits is not changed, and without a width nothing is folded', () => {
  const wide = table(HEADS, ROWS);
  expect(wide[1]?.length).toBe(107);
  expect(table(HEADS, ROWS, 107)).toEqual(wide);
  expect(wide[0]).toContain('BATCH');
});

test.each([20, 40, 60, 80, 100])(
  'at %i columns no line with words that fit is wider',
  (columns) => {
    const rows = [['key_4f0c2k1m9x', 'Tor 京都 東西 南北', 'a, b, c, d, e, f, g, h, i, j', '1']];
    const lines = table(['ID', 'NAME', 'EVENTS', 'USES'], rows, columns);
    expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(columns);
    expect(lines.join('\n')).toContain('key_4f0c2k1m9x');
  },
);

test('only a terminal has a width', () => {
  const shown = (stdoutIsTty: boolean) => {
    const lines: string[] = [];
    const stdout = Object.assign(new PassThrough(), { columns: 40 });
    showTable(
      { ...processIo(), stdout, stdoutIsTty, out: (line) => lines.push(line) },
      HEADS,
      ROWS,
    );
    return lines;
  };
  expect(shown(true)).toEqual(table(HEADS, ROWS, 40));
  expect(shown(false)).toEqual(table(HEADS, ROWS));
});
