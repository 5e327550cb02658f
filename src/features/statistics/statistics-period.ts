import { isGivenTime } from '../../core/clock.ts';
import { isoDay } from '../../core/date-time.ts';
import { TicketscanError } from '../../core/errors.ts';
import { QUARTER_MS } from '../../core/scan-count.ts';
import { dateAfter, daysBetween, LocalTime } from './local-time.ts';

const DATE = /^\d{4}-\d\d-\d\d$/;
const DAYS_SHOWN = 7;
const DAYS_MAX = 3660;
const DAYS_BY_HOUR_MAX = 400;

/** Days of a time zone, and the quarters of an hour since 1970 UTC that they are made of. */
export interface StatisticsPeriod {
  /** The first and the last day, both included, such as `2026-11-22`. */
  readonly from: string;
  readonly to: string;
  readonly localTime: LocalTime;
  readonly firstQuarter: number;
  /** Not included. */
  readonly endQuarter: number;
}

/**
 * The days that somebody asks for: by default the last seven, today included.
 * @param given `from` and `to` as they were written
 * @throws TicketscanError `usage` for a day that does not exist, and a period that is too long or ends before it begins
 */
export function statisticsPeriod(
  given: { readonly from?: string | undefined; readonly to?: string | undefined },
  { by, timeZone, now }: { readonly by: string; readonly timeZone: string; readonly now: number },
): StatisticsPeriod {
  const localTime = new LocalTime(timeZone);
  const today = localTime.dateOf(Math.floor(now / QUARTER_MS));
  const first = given.from === undefined ? undefined : dateFrom('from', given.from);
  const to = dateFrom('to', given.to ?? (first && first > today ? first : today));
  const from = first ?? dateAfter(to, 1 - DAYS_SHOWN);
  if (to < from)
    throw new TicketscanError('usage', `The period ends (${to}) before it begins (${from}).`, {
      reason: 'period_reversed',
    });
  const daysMax = by === 'hour' ? DAYS_BY_HOUR_MAX : DAYS_MAX;
  const days = daysBetween(from, to);
  if (days > daysMax) {
    throw new TicketscanError(
      'usage',
      `A period by ${by} has at most ${daysMax} days, not ${days}. Ask for a shorter one.`,
      { reason: 'period_too_long', values: { by, max: daysMax, days } },
    );
  }
  const firstQuarter = localTime.firstQuarterOf(from);
  const endQuarter = localTime.firstQuarterOf(dateAfter(to, 1));
  return { from, to, localTime, firstQuarter, endQuarter };
}

function dateFrom(name: string, given: string): string {
  const text = isoDay(given);
  const time = DATE.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time) && isGivenTime(time) && dateAfter(text, 0) === text) return text;
  throw new TicketscanError(
    'usage',
    `${name}: "${given}" is not a day of the years 1970 to 9998 such as 2026-11-22 or 22.11.2026.`,
    { reason: 'day_invalid', values: { text: given } },
  );
}
