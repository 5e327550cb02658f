import { afterEach, expect, test } from 'vitest';
import { setPageZone } from '../../src/dashboard/i18n/formats.ts';
import { fieldFromTime, skippedTime, timeFromField } from '../../src/dashboard/i18n/time-fields.ts';
import { daysOf } from '../../src/dashboard/pages/statistics.tsx';

afterEach(() => setPageZone(undefined));

test('a field of date and time is in the zone of the organisation, else of the browser', () => {
  const typed = '2027-09-30T23:59';
  for (const [zone, instant] of [
    ['Europe/Berlin', '2027-09-30T21:59:00.000Z'],
    [undefined, '2027-09-30T23:59:00.000Z'],
  ] as const) {
    setPageZone(zone);
    expect(timeFromField(typed, 'until')).toBe(instant);
    expect(fieldFromTime(instant)).toBe(typed);
  }
  expect(fieldFromTime(null)).toBe('');
  expect(timeFromField('0002-09-30T23:59', 'from')).toBe('0002-09-30T23:59');
});

test('a field names a time that clocks skip, and of one that is there twice takes what is kind to guests', () => {
  setPageZone('Europe/Berlin');
  expect(skippedTime('2027-03-28T02:30')?.message).toContain(
    '"2027-03-28 02:30" does not exist in Europe/Berlin',
  );
  // The server gets what was typed, and refuses it.
  expect(timeFromField('2027-03-28T02:30', 'from')).toBe('2027-03-28T02:30');
  for (const typed of ['', '0002-09-30T23:59', '2027-03-28T03:30']) {
    expect(skippedTime(typed)).toBeUndefined();
  }
  expect(timeFromField('2027-10-31T02:30', 'from')).toBe('2027-10-31T00:30:00.000Z');
  expect(timeFromField('2027-10-31T02:30', 'until')).toBe('2027-10-31T01:30:00.000Z');
});

test('the days of statistics end today, in that zone', () => {
  setPageZone('Pacific/Kiritimati');
  const today = new Date(Date.now() + 14 * 3_600_000).toISOString().slice(0, 10);
  expect(daysOf('today')).toEqual({ from: today, to: today });
});
