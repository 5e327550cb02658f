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
  const last = new Date();
  const first = new Date();
  first.setDate(first.getDate() - PERIOD_DAYS[period] + 1);
  return { from: dayOf(first), to: dayOf(last) };
}

/** The viewer's calendar date. */
function dayOf(date: Date): string {
  const parts = [date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0'));
  return [date.getFullYear(), ...parts].join('-');
}
