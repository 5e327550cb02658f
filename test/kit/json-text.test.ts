import { expect, test } from 'vitest';
import { positionOfJsonIssue } from '../../src/kit/json-text.ts';
import { processorMs } from '../support/processor-time.ts';

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

test('the place of an issue in many megabytes is not searched for a minute', async () => {
  const text = '['.repeat(3_000_000);
  expect(await processorMs(() => positionOfJsonIssue(text))).toBeLessThan(2000);
  expect(positionOfJsonIssue(text)).toBe('behind its first megabyte');
  expect(positionOfJsonIssue(`{"a":x${' '.repeat(2_000_000)}`)).toBe('line 1, column 6');
});
