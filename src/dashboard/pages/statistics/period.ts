import { localTimeIn } from '../../../core/time-zone.ts';
import { DAY_MS } from '../../../kit/durations.ts';
import { pageZone } from '../../i18n/formats.ts';
/** What the statistics are asked for. */
export interface StatisticsFilter {
  readonly period: PeriodName | 'own';
  /** Days of the viewer's time zone, such as `2026-11-22`. */
  readonly from: string;
  readonly to: string;
  readonly by: 'day' | 'hour' | 'event' | 'gate' | 'type';
  /** Its id; empty for all events. */
  readonly event: string;
}

/** How many days, today included. */
const PERIOD_DAYS = { today: 1, week: 7, month: 30, year: 365 } as const;
export type PeriodName = keyof typeof PERIOD_DAYS;
export const PERIODS = Object.keys(PERIOD_DAYS) as PeriodName[];

/** The days of a period that ends today. */
export function daysOf(period: PeriodName): Pick<StatisticsFilter, 'from' | 'to'> {
  const { date: to } = localTimeIn(Date.now(), pageZone());
  const first = Date.parse(to) - (PERIOD_DAYS[period] - 1) * DAY_MS;
  return { from: new Date(first).toISOString().slice(0, 10), to };
}
