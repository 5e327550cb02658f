import { expect, test } from 'vitest';
import { didYouMean, nearest } from '../../src/kit/nearest.ts';

const WORDS = ['png', 'single', 'multi', 'permanent', '3.2/race-of-the-gates', '3.2/race'];

test.each([
  ['singel', 'single'],
  ['SINGLE', 'single'],
  ['mulit ', 'multi'],
  ['permanant', 'permanent'],
  ['GPN', 'png'],
  ['3.2/race-of-the-gate', '3.2/race-of-the-gates'],
  // A part of an id, when nothing is spelt like it.
  ['race-of-the-gates', '3.2/race-of-the-gates'],
  ['3.2/rac', '3.2/race'],
  ['3.2', '3.2/race'],
  [' png\t', 'png'],
  ['permabcnt', 'permanent'],
])('%j means %j', (given, meant) => {
  expect(nearest(given, WORDS)).toBe(meant);
  expect(didYouMean(given, WORDS)).toBe(` Did you mean "${meant}"?`);
});

test.each(['', 'x', 'on', 'tickets', 'ma'])('%j is near to nothing', (given) => {
  expect(nearest(given, WORDS)).toBeUndefined();
  expect(didYouMean(given, WORDS)).toBe('');
});

test('as many letters may be wrong as are allowed, but no more than half of them', () => {
  expect(nearest('abcdxyz', ['abcdefg'])).toBe('abcdefg');
  expect(nearest('abcwxyz', ['abcdefg'])).toBeUndefined();
  expect(nearest('abc', ['xxabc', 'xabcxxxx'])).toBe('xxabc');
});
