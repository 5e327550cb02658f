import { expect, test } from 'vitest';
import { counted } from '../../src/kit/text.ts';

test('a noun agrees with its number', () => {
  expect([0, 1, 2].map((count) => counted(count, 'scan'))).toEqual([
    '0 scans',
    '1 scan',
    '2 scans',
  ]);
  expect([1, 3].map((count) => counted(count, 'try', 'tries'))).toEqual(['1 try', '3 tries']);
});
