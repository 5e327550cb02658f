import { TicketscanError } from '../core/errors.ts';

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:?\d{2})?$/;
const LAST_MS_OF_DAY = 'T23:59:59.999';

/**
 * A moment in milliseconds since 1970 UTC, from ISO 8601. Without a zone it is local time. A date alone is its first
 * millisecond as a start and its last as an end, because both ends of a window belong to it.
 * @throws TicketscanError `usage`
 */
export function parseMoment(text: string, end: 'start' | 'end'): number {
  const whole = DATE.test(text) ? text + (end === 'end' ? LAST_MS_OF_DAY : 'T00:00') : text;
  const moment = DATE_TIME.test(whole) && isRealDay(text) ? Date.parse(whole) : Number.NaN;
  if (Number.isNaN(moment)) {
    throw new TicketscanError(
      'usage',
      `"${text}" is no date or time. Write 2026-07-01, 2026-07-01T18:00 (local) or 2026-07-01T18:00:00Z.`,
    );
  }
  return moment;
}

/** JavaScript reads 31 April as 1 May. */
function isRealDay(text: string): boolean {
  const [year, month, day] = text.slice(0, 10).split('-').map(Number);
  return new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, day)).getUTCDate() === day;
}
