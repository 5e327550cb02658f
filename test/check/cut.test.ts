import { expect, test } from 'vitest';
import { cutText } from '../../src/check/facts/cut.ts';

test.each([
  ['abc', 'abc'],
  ['abcd', 'abc…'],
  ['ab\u{1f600}', 'ab\ufffd…'],
])('%j in three characters is %j', (text, cut) => {
  expect(cutText(text, 3)).toBe(cut);
});
