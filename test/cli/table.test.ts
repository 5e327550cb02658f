import { expect, test } from 'vitest';
import { table } from '../../src/terminal/table.ts';

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
