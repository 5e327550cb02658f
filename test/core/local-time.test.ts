import { describe, expect, test } from 'vitest';
import { parseDateTime } from '../../src/core/date-time.ts';
import type { TicketscanError } from '../../src/core/errors.ts';
import { localTimeIn } from '../../src/core/time-zone.ts';
import { DAY_MS } from '../../src/kit/durations.ts';

const read = (text: string, edge: 'from' | 'until', zone: string) =>
  new Date(parseDateTime(text, edge, zone)).toISOString();

function refusalOf(text: string, zone: string): TicketscanError | undefined {
  try {
    parseDateTime(text, 'from', zone);
  } catch (error) {
    return error as TicketscanError;
  }
  return undefined;
}

describe('a time that clocks skip is refused by name', () => {
  test.each([
    ['2027-03-28 02:30', 'Europe/Berlin', '02:00', '03:00', '03:30'],
    ['2027-03-28 02:00', 'Europe/Berlin', '02:00', '03:00', '03:00'],
    ['28.03.2027 02:59:59', 'Europe/Berlin', '02:00', '03:00', '03:59'],
    ['2027-03-28T01:30', 'Europe/London', '01:00', '02:00', '02:30'],
    ['2027-03-14T02:15', 'America/New_York', '02:00', '03:00', '03:15'],
    // Half an hour only.
    ['2027-10-03T02:10', 'Australia/Lord_Howe', '02:00', '02:30', '02:40'],
    ['2027-09-05 00:30', 'America/Santiago', '00:00', '01:00', '01:30'],
    // A whole day.
    [
      '2011-12-30 12:00',
      'Pacific/Apia',
      '2011-12-30 00:00',
      '2011-12-31 00:00',
      '2011-12-31 12:00',
    ],
  ] as const)('%s in %s', (text, timeZone, left, next, later) => {
    const refusal = refusalOf(text, timeZone);
    expect(refusal).toMatchObject({
      code: 'usage',
      reason: 'time_skipped',
      values: { text, timeZone, left, next, later },
    });
    expect(refusal?.message).toContain(
      `"${text}" does not exist in ${timeZone}: clocks go forward there from ${left} to ${next}. Write ${later}`,
    );
  });

  test('and not the minutes beside it, or one with an offset', () => {
    expect(read('2027-03-28 01:59:59', 'from', 'Europe/Berlin')).toBe('2027-03-28T00:59:59.000Z');
    expect(read('2027-03-28 03:00', 'from', 'Europe/Berlin')).toBe('2027-03-28T01:00:00.000Z');
    expect(read('2027-03-28 02:30+01:00', 'from', 'Europe/Berlin')).toBe(
      '2027-03-28T01:30:00.000Z',
    );
  });
});

test.each([
  ['2027-10-31 02:30', 'Europe/Berlin', '2027-10-31T00:30:00.000Z', '2027-10-31T01:30:00.000Z'],
  ['2027-11-07 01:00', 'America/New_York', '2027-11-07T05:00:00.000Z', '2027-11-07T06:00:00.000Z'],
  // Clocks go back from 01:00 to 00:00 there, so that midnight is there twice.
  ['2027-11-07 00:00', 'America/Havana', '2027-11-07T04:00:00.000Z', '2027-11-07T05:00:00.000Z'],
  // Beside the hour that is there twice, both edges are the same moment.
  ['2027-10-31 01:59', 'Europe/Berlin', '2027-10-30T23:59:00.000Z', '2027-10-30T23:59:00.000Z'],
  ['2027-10-31 03:00', 'Europe/Berlin', '2027-10-31T02:00:00.000Z', '2027-10-31T02:00:00.000Z'],
] as const)(
  '%s in %s begins at the earlier moment and ends at the later',
  (text, zone, from, until) => {
    expect([read(text, 'from', zone), read(text, 'until', zone)]).toEqual([from, until]);
  },
);

/** Zones that skip midnight, that have it twice, and others. */
const ZONES = [
  'America/Santiago',
  'Asia/Beirut',
  'Africa/Cairo',
  'America/Asuncion',
  'America/Havana',
  'Atlantic/Azores',
  'America/Nuuk',
  'Australia/Lord_Howe',
  'Africa/Casablanca',
  'Europe/Berlin',
];

test.each(ZONES)('every day in %s begins with its first moment and ends with its last', (zone) => {
  const dateOf = (time: number) => localTimeIn(time, zone).date;
  for (let day = Date.UTC(2026, 0, 1); day < Date.UTC(2028, 0, 1); day += DAY_MS) {
    const date = new Date(day).toISOString().slice(0, 10);
    const from = parseDateTime(date, 'from', zone);
    const until = parseDateTime(date, 'until', zone);
    const edges = [from - 1, from, until, until + 1].map((time) => dateOf(time) === date);
    expect(edges, date).toEqual([false, true, true, false]);
    // Midnight is the beginning of the day also where no clock shows it, and 24:00 the end of the day before.
    expect(parseDateTime(`${date} 00:00`, 'from', zone), date).toBe(from);
    expect(parseDateTime(`${date} 24:00`, 'until', zone), date).toBe(until + 1);
  }
});
