import { expect, test } from 'vitest';
import { isNear, readTimestamp } from '../../src/check/facts/timestamp.ts';

const MOMENT = Date.UTC(2026, 10, 21, 9, 5, 7);

test.each([
  '2026-11-21T09:05:07Z',
  '2026-11-21T09:05:07.000Z',
  '2026-11-21T09:05:07,000000Z',
  '2026-11-21T11:05:07+02:00',
  '2026-11-21T11:05:07+0200',
  '2026-11-21T11:05:07+02',
  '2026-11-21T03:35:07-05:30',
  '20261121T090507Z',
  '20261121T110507.000+0200',
])('%s is that moment', (text) => {
  expect(readTimestamp(text)).toEqual({ epochMs: MOMENT, hasZone: true });
});

test.each([
  '2026-11-21',
  '2026-11-21 09:05:07',
  '21.11.2026 09:05',
  '2026-02-30T09:05:07Z',
  '2026-13-01T09:05:07Z',
  '2026-11-21T25:05:07Z',
  'Sat, 21 Nov 2026 09:05:07 GMT',
  '1795251907',
  '',
  1795251907000,
  null,
])('%s is no ISO 8601 timestamp', (value) => {
  expect(readTimestamp(value)).toBeUndefined();
});

test('a timestamp without a zone is read as UTC', () => {
  const moment = readTimestamp('2026-11-21T09:05:07');
  expect(moment?.hasZone).toBe(false);
  expect(isNear(moment!, MOMENT + 900, 1000)).toBe(true);
  expect(isNear(moment!, MOMENT + 2 * 3_600_000, 1000)).toBe(false);
});

test('a timestamp with a zone must be near', () => {
  const moment = readTimestamp('2026-11-21T10:05:07Z');
  expect(isNear(moment!, MOMENT, 60_000)).toBe(false);
});
