import { describe, expect, test } from 'vitest';
import { readDuration, shownDuration } from '../../src/kit/durations.ts';
import { durationFor } from '../../src/terminal/options.ts';

test.each([
  ['500ms', 500],
  ['10s', 10_000],
  ['16.1s', 16_100],
  ['2m', 120_000],
  ['2min', 120_000],
  ['1.5h', 5_400_000],
  ['1d 12h', 129_600_000],
  ['0', 0],
])('%s is %i ms', (text, ms) => {
  expect(readDuration(text)).toBe(ms);
});

test.each(['', '10', '-1s', 's', '1x', '10 apples', '1e3s', `${'9'.repeat(400)}s`])(
  '%j is none',
  (text) => {
    expect(readDuration(text)).toBeUndefined();
  },
);

test('a number without a unit counts what the place says', () => {
  expect(readDuration('30', 100)).toBe(3000);
});

test.each([
  [0, '0 s'],
  [50, '50 ms'],
  [100, '0.1 s'],
  [600_000, '600 s'],
  [3_600_000, '1 h'],
])('%i ms is shown as %s', (ms, text) => {
  expect(shownDuration(ms)).toBe(text);
});

describe('an option', () => {
  const read = durationFor('--wait-time', { from: 100, to: 600_000, bareMs: 100 });

  test('takes what is within its bounds', () => {
    expect(['0.1s', '30', '10m'].map(read)).toEqual([100, 3000, 600_000]);
  });

  test.each([
    ['0', '--wait-time must be from 0.1 s to 600 s, not "0".'],
    ['6001', '--wait-time must be from 0.1 s to 600 s, not "6001".'],
    [
      'long',
      '--wait-time must be a duration with its unit, such as 500ms, 10s, 2m or 1h, not "long".',
    ],
  ])('refuses %s', (text, message) => {
    expect(() => read(text)).toThrow(message);
  });
});
