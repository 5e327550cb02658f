import { expect, test } from 'vitest';
import { parseDateTime } from '../../../src/core/date-time.ts';
import { checkTimeZone } from '../../../src/core/time-zone.ts';

test.each([
  ['2026-12-24T18:00:00Z', 'from', '2026-12-24T18:00:00.000Z'],
  ['2026-12-24T18:00:00.5+02:00', 'from', '2026-12-24T16:00:00.500Z'],
  ['2026-12-24 18:00', 'from', '2026-12-24T17:00:00.000Z'],
  ['2026-07-01', 'from', '2026-06-30T22:00:00.000Z'],
  ['2026-07-01', 'until', '2026-07-01T21:59:59.999Z'],
  ['2026-03-29', 'until', '2026-03-29T21:59:59.999Z'],
  ['2026-10-25', 'from', '2026-10-24T22:00:00.000Z'],
  ['2026-10-25', 'until', '2026-10-25T22:59:59.999Z'],
  ['30.09.2027', 'until', '2027-09-30T21:59:59.999Z'],
  ['1.9.2027', 'from', '2027-08-31T22:00:00.000Z'],
  ['30.09.2027 14:00', 'until', '2027-09-30T12:00:00.000Z'],
  ['30.09.2027, 9:05:30 Uhr', 'from', '2027-09-30T07:05:30.000Z'],
] as const)('%s as the %s of a window in Berlin is %s', (text, edge, expected) => {
  expect(new Date(parseDateTime(text, edge, 'Europe/Berlin')).toISOString()).toBe(expected);
});

test.each([
  '24.12.26',
  '31.02.2026',
  '12.24.2026',
  '24.12.2026T18:00',
  '12/24/2026',
  '2026-02-30',
  '2026-13-01',
  '2026-01-01T24:01',
  '',
  'tomorrow',
  '2026-7-1',
  '0070-01-01',
  '0000-01-01T00:00:00+14:00',
  '1969-12-31T23:59:59Z',
  '1970-01-01T00:00:00+00:01',
  '9999-01-01',
  '9999-12-31T23:59:59-14:00',
  '9998-12-31T23:59:59-00:01',
])('"%s" is refused', (text) => {
  expect(() => parseDateTime(text, 'from', 'UTC')).toThrow(`"${text}"`);
});

test.each([
  ['1970-01-01', 'from', '1970-01-01T00:00:00.000Z'],
  ['9998-12-31', 'until', '9998-12-31T23:59:59.999Z'],
] as const)('%s is taken as the %s of a window', (text, edge, expected) => {
  expect(new Date(parseDateTime(text, edge, 'UTC')).toISOString()).toBe(expected);
});

test('a time zone that does not exist is refused', () => {
  expect(() => checkTimeZone('Europe/Atlantis')).toThrow('not a time zone');
});
