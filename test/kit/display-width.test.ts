import { expect, test } from 'vitest';
import { fitted, padded } from '../../src/kit/display-width.ts';
import { table } from '../../src/terminal/results.ts';

/** Names, and how many columns of a terminal each takes. */
const NAMES = [
  ['Zoe', 3],
  ['Zoe\u0308', 3],
  ['日本', 4],
  ['👩‍👩‍👧', 2],
  ['한글', 4],
] as const;

test.each(NAMES)('%s takes as many columns as a terminal gives it', (name, columns) => {
  expect(padded(name, 6)).toBe(name + ' '.repeat(6 - columns));
  expect(fitted(name, columns)).toBe(name);
});

test('a text is cut between letters, never within one, and a wide one leaves room for the mark', () => {
  expect(fitted('日本語', 5)).toBe('日本…');
  expect(fitted('日本語', 4)).toBe('日…');
  expect(fitted('Zoe\u0308y', 3)).toBe('Zo…');
  expect(fitted('abc', 0)).toBe('');
});

test('the second column of a table begins in the same column in every row', () => {
  const lines = table(
    ['NAME', 'X'],
    NAMES.map(([name]) => [name, 'x']),
  );
  expect(lines).toEqual([
    'NAME  X',
    ...NAMES.map(([name, columns]) => `${name}${' '.repeat(6 - columns)}x`),
  ]);
});
