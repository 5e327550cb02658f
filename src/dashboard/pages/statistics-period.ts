import { localTimeIn } from '../../core/time-zone.ts';
import { DAY_MS } from '../../kit/durations.ts';
import { pageZone } from '../i18n/formats.ts';

/** What the statistics are asked for. */
export interface StatisticsFilter {
  readonly period: PeriodName | 'own';
  /** Days of the zone of the page, such as `2026-11-22`. */
  readonly from: string;
  readonly to: string;
  readonly by: (typeof ROWS)[number];
  /** Its id; empty for all events. */
  readonly event: string;
}

/** How many days, today included. */
const PERIOD_DAYS = { today: 1, week: 7, month: 30, year: 365 } as const;
type PeriodName = keyof typeof PERIOD_DAYS;
export const PERIODS = Object.keys(PERIOD_DAYS) as PeriodName[];
export const ROWS = ['day', 'hour', 'event', 'gate', 'type'] as const;
/** How the address of the page says it: a period that ends today moves on with the days. */
export const CHOICES = ['period', 'from', 'to', 'by', 'event'] as const;

/** The days of a period that ends today. */
export function daysOf(period: PeriodName): Pick<StatisticsFilter, 'from' | 'to'> {
  const { date: to } = localTimeIn(Date.now(), pageZone());
  const first = Date.parse(to) - (PERIOD_DAYS[period] - 1) * DAY_MS;
  return { from: new Date(first).toISOString().slice(0, 10), to };
}

/** What an address asks for; a week, day by day, where it says nothing. */
export function filterOf(
  chosen: Readonly<Record<(typeof CHOICES)[number], string>>,
): StatisticsFilter {
  const { from, to, event } = chosen;
  const by = ROWS.find((name) => name === chosen.by) ?? 'day';
  if (from !== '' && to !== '') return { period: 'own', from, to, by, event };
  const period = PERIODS.find((name) => name === chosen.period) ?? 'week';
  return { period, ...daysOf(period), by, event };
}
