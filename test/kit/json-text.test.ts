import { expect, test } from 'vitest';
import { positionOfJsonIssue } from '../../src/kit/json-text.ts';

test.each([
  ['{\n  "keys": { "rest": secret }\n}', 'line 2, column 21'],
  ['{"a": 1,\n "b": }', 'line 2, column 7'],
  ['{"a": 1', 'line 1, column 8'],
  ['{"a": [1, 2}', 'line 1, column 12'],
  ['{"a": tru }', 'line 1, column 10'],
  ['{"a": "x\ny"}', 'line 1, column 9'],
  ['{"a": 1.} ', 'line 1, column 9'],
  ['', 'line 1, column 1'],
  ['{} {}', 'line 1, column 4'],
])('%j is wrong at %s', (text, place) => {
  expect(positionOfJsonIssue(text)).toBe(place);
});
