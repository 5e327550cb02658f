import { expect, test } from 'vitest';
import { usedUpAt } from '../../src/features/keys/key-watches.ts';

const at = (text: string) => Date.parse(`2026-07-${text}Z`);
const BEFORE = Date.UTC(2025, 0);
const use = (requestsInMonth: number, createdAt = BEFORE) => ({
  requestsInMonth,
  quotaPerMonth: 500_000,
  createdAt,
});

test.each([
  ['a pace that lasts', use(150_000), '11T00:00', null],
  ['half of the month in ten days', use(250_000), '11T00:00', '21T00:00'],
  ['a pace that just lasts', use(161_290), '11T00:00', null],
  ['a pace that just does not', use(161_300), '11T00:00', '31T23:57'],
  ['nothing', use(0), '11T00:00', null],
  ['the first hour of the month', use(2000), '01T01:00', null],
  ['a tenth of the month within an hour', use(50_000), '01T01:00', '01T10:00'],
  ['a key that came yesterday', use(50_000, at('10T00:00')), '11T00:00', '20T00:00'],
  ['a key that came an hour ago', use(5000, at('10T23:00')), '11T00:00', null],
  ['a key from the future', use(5000, at('20T00:00')), '11T00:00', null],
  ['a tenth of the month by a key from the future', use(50_000, at('20T00:00')), '11T00:00', null],
  ['less than a tenth in a day', use(40_000), '02T00:00', '13T12:00'],
  ['a pace that ends with the month', use(250_000), '16T12:00', null],
  ['all', use(500_000), '11T00:00', '11T00:00'],
  ['more than a lowered quota', use(600_000), '11T00:00', '11T00:00'],
] as const)('%s', (_, monthUse, now, expected) => {
  const found = usedUpAt(monthUse, at(now));
  const minute = found === null ? null : new Date(found).toISOString().slice(8, 16);
  expect(minute).toBe(expected);
});
