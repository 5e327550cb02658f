import { expect, test } from 'vitest';
import { readDuration } from '../../src/kit/durations.ts';

test.each([
  ['500ms', 500],
  ['16.1s', 16_100],
  ['2m', 120_000],
  ['1.5h', 5_400_000],
  ['7d', 604_800_000],
  [' 1s ', 1000],
])('%s is %d ms', (text, ms) => expect(readDuration(text)).toBe(ms));

test.each(['', '10', '-1s', '1 s', '1e3s', '1w', 's'])('"%s" is no duration', (text) =>
  expect(readDuration(text)).toBeUndefined(),
);
