import { expect, test } from 'vitest';
import { checkTimeZone, chosenZone, localTimeIn } from '../../src/core/time-zone.ts';

const NOON = Date.UTC(2026, 6, 1, 12, 5);

test.each([
  ['Europe/Athens', '2026-07-01', '15:05'],
  ['America/New_York', '2026-07-01', '08:05'],
  ['Pacific/Kiritimati', '2026-07-02', '02:05'],
  ['UTC', '2026-07-01', '12:05'],
  ['Mars/Olympus_Mons', '2026-07-01', '12:05'],
])('clocks of %s show %s %s', (zone, date, minute) => {
  // The second time from what was kept.
  expect(localTimeIn(NOON, zone)).toEqual({ date, minute });
  expect(localTimeIn(NOON, zone)).toEqual({ date, minute });
});

test('the zone that is asked for comes before that of the organisation, and this before that of the machine', () => {
  expect(chosenZone('Asia/Tokyo', { timeZone: 'Europe/Athens' })).toBe('Asia/Tokyo');
  expect(chosenZone(undefined, { timeZone: 'Europe/Athens' })).toBe('Europe/Athens');
  const machine = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  expect(chosenZone(undefined, {})).toBe(machine);
});

test('a name that is no zone is refused with a name that is one', () => {
  expect(() => checkTimeZone('Mars/Olympus_Mons')).toThrow(
    expect.objectContaining({
      code: 'usage',
      message: '"Mars/Olympus_Mons" is not a time zone. Use a name such as Europe/Athens, or UTC.',
      reason: 'unknown_time_zone',
      values: { name: 'Mars/Olympus_Mons' },
      cause: expect.any(RangeError),
    }),
  );
});
