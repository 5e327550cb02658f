import { expect, test } from 'vitest';
import { parseMoment } from '../../src/cli/parse-time.ts';

test.each([
  ['2026-07-01T18:00:00Z', 'start', '2026-07-01T18:00:00.000Z'],
  ['2026-07-01T18:00:00.5+02:00', 'end', '2026-07-01T16:00:00.500Z'],
] as const)('%s as %s is %s', (text, end, expected) => {
  expect(new Date(parseMoment(text, end)).toISOString()).toBe(expected);
});

test('a date alone is its first millisecond as a start and its last as an end, in local time', () => {
  expect(parseMoment('2026-07-01', 'start')).toBe(new Date(2026, 6, 1).getTime());
  expect(parseMoment('2026-07-01', 'end')).toBe(new Date(2026, 6, 2).getTime() - 1);
});

test.each([
  '',
  'tomorrow',
  '2026-04-31',
  '2026-13-01',
  '2026-7-1',
  '01.07.2026',
  '2026-07-01T25:00',
])('%s is no time', (text) => {
  expect(() => parseMoment(text, 'start')).toThrow(/is no date or time/);
});
