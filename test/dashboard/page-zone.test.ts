import { afterEach, expect, test } from 'vitest';
import { setPageZone } from '../../src/dashboard/i18n/formats.ts';
import { fieldFromTime, timeFromField } from '../../src/dashboard/i18n/time-fields.ts';
import { daysOf } from '../../src/dashboard/pages/statistics.tsx';

afterEach(() => setPageZone(undefined));

test('a field of date and time is in the zone of the organisation, else of the browser', () => {
  const typed = '2027-09-30T23:59';
  for (const [zone, instant] of [
    ['Europe/Berlin', '2027-09-30T21:59:00.000Z'],
    [undefined, '2027-09-30T23:59:00.000Z'],
  ] as const) {
    setPageZone(zone);
    expect(timeFromField(typed)).toBe(instant);
    expect(fieldFromTime(instant)).toBe(typed);
  }
  expect(fieldFromTime(null)).toBe('');
  expect(timeFromField('0002-09-30T23:59')).toBe('0002-09-30T23:59');
});

test('the days of statistics end today, in that zone', () => {
  setPageZone('Pacific/Kiritimati');
  const today = new Date(Date.now() + 14 * 3_600_000).toISOString().slice(0, 10);
  expect(daysOf('today')).toEqual({ from: today, to: today });
});
