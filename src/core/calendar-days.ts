import { DAY_MS } from '../kit/durations.ts';

/** Days of the calendar, from the first to the last, both included, such as `2026-11-22`. */
export interface CalendarDays {
  readonly from: string;
  readonly to: string;
}

/** The date that is `days` after another. */
export function dateAfter(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);
}

/** How many days these are. */
export function daysIn({ from, to }: CalendarDays): number {
  return (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
}

/** The week in which a day lies, from Monday to Sunday. */
export function weekOf(date: string): CalendarDays {
  const monday = dateAfter(date, -((new Date(date).getUTCDay() + 6) % 7));
  return { from: monday, to: dateAfter(monday, 6) };
}

/** The month in which a day lies. */
export function daysOfMonth(date: string): CalendarDays {
  const month = date.slice(0, 7);
  return { from: `${month}-01`, to: dateAfter(`${nextMonth(month)}-01`, -1) };
}

/** The month before the one in which a day lies, or as many months later. */
export function monthAfter(date: string, months: number): CalendarDays {
  const first = new Date(`${date.slice(0, 7)}-01`);
  first.setUTCMonth(first.getUTCMonth() + months);
  return daysOfMonth(first.toISOString().slice(0, 10));
}

function nextMonth(month: string): string {
  const first = new Date(`${month}-01`);
  first.setUTCMonth(first.getUTCMonth() + 1);
  return first.toISOString().slice(0, 7);
}
