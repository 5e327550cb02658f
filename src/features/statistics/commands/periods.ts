import { type CalendarDays, daysOfMonth } from '../../../core/calendar-days.ts';
import { isoDay } from '../../../core/date-time.ts';
import { TicketscanError } from '../../../core/errors.ts';
import { shortened } from '../../../kit/text.ts';

const MONTH =
  /^(?:(?<year>\d{4})-(?<month>\d{1,2})|(?<germanMonth>\d{1,2})[.](?<germanYear>\d{4}))$/u;
const MONTHS = 12;

/**
 * The days of `--month`, such as 2026-07 or 07.2026.
 * @throws TicketscanError `usage`
 */
export function monthFor(option: string): (text: string) => CalendarDays {
  return (text) => {
    const { year, month, germanMonth, germanYear } = MONTH.exec(text.trim())?.groups ?? {};
    const number = Number(month ?? germanMonth);
    if (number >= 1 && number <= MONTHS) {
      return daysOfMonth(`${year ?? germanYear}-${String(number).padStart(2, '0')}-01`);
    }
    throw new TicketscanError(
      'usage',
      `${option}: "${shortened(text)}" is not a month such as 2026-07 or 07.2026.`,
    );
  };
}

/**
 * A day such as 2026-07-18 or 18.07.2026.
 * @throws TicketscanError `usage`
 */
export function dayFor(option: string): (text: string) => string {
  return (text) => {
    const day = isoDay(text);
    const time = /^\d{4}-\d\d-\d\d$/u.test(day) ? Date.parse(day) : Number.NaN;
    if (!Number.isNaN(time) && new Date(time).toISOString().startsWith(day)) return day;
    throw new TicketscanError(
      'usage',
      `${option}: "${shortened(text)}" is not a day such as 2026-07-18 or 18.07.2026.`,
    );
  };
}
