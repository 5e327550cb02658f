import { dateAfter, daysIn } from '../../core/calendar-days.ts';
import { isGivenTime } from '../../core/clock.ts';
import { isoDay } from '../../core/date-time.ts';
import { refuse } from '../../core/errors.ts';
import { QUARTER_MS } from '../../core/scan-count.ts';
import { DAY_MS, MINUTE_MS } from '../../kit/durations.ts';

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
  /** The quarter of an hour after the last one. */
  readonly endQuarter: number;
}

interface PeriodRequest {
  /** The beginning and the end, as they were written. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly timeZone: string;
}

/**
 * The days that somebody asks for: by default the last seven, today included.
 * @param byHour true where each day has rows by the hour: a period is shorter then
 * @throws TicketscanError `usage` for a day that does not exist, and a period that is too long or ends before it begins
 */
export function statisticsPeriod(
  given: PeriodRequest,
  now: number,
  { byHour }: { readonly byHour: boolean },
): StatisticsPeriod {
  const { timeZone } = given;
  const localTime = new LocalTime(timeZone);
  const today = localTime.dateOf(Math.floor(now / QUARTER_MS));
  const first = given.from === undefined ? undefined : dateFrom('from', given.from);
  const to = dateFrom('to', given.to ?? (first && first > today ? first : today));
  const from = first ?? dateAfter(to, 1 - DAYS_SHOWN);
  if (to < from) throw refuse('period_reversed', {}, { of: `${from} to ${to}` });
  const daysMax = byHour ? DAYS_BY_HOUR_MAX : DAYS_MAX;
  const days = daysIn({ from, to });
  if (days > daysMax) {
    throw refuse('period_too_long', { by: byHour ? 'hour' : 'day', max: daysMax, days });
  }
  const firstQuarter = localTime.firstQuarterOf(from);
  const endQuarter = localTime.firstQuarterOf(dateAfter(to, 1));
  return { from, to, localTime, firstQuarter, endQuarter };
}

function dateFrom(name: string, given: string): string {
  const text = isoDay(given);
  const time = DATE.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time) && isGivenTime(time) && dateAfter(text, 0) === text) return text;
  throw refuse('day_invalid', { text: given }, { of: name });
}

const QUARTERS_PER_DAY = DAY_MS / QUARTER_MS;
/** No time zone is further from UTC. */
const OFFSET_QUARTERS_MAX = 15 * 4;

/** The dates and hours of one time zone, of quarters of an hour that are counted from 1970 UTC. */
export class LocalTime {
  readonly timeZone: string;
  readonly #format: Intl.DateTimeFormat;
  /** The offsets by days of UTC; undefined for a day on which clocks are changed. */
  readonly #offsets = new Map<number, number | undefined>();

  /** @param timeZone a name that `Intl` knows */
  constructor(timeZone: string) {
    this.timeZone = timeZone;
    this.#format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  }

  /** The calendar date, `2026-11-22`. */
  dateOf(quarter: number): string {
    return this.#shown(quarter).slice(0, 10);
  }

  /** The beginning of the hour, `2026-11-22T14:00+01:00`. The offset tells apart the two hours of one name in autumn. */
  hourOf(quarter: number): string {
    const offset = this.#offsetMs(quarter);
    const minutes = Math.abs(offset) / MINUTE_MS;
    const text = [Math.floor(minutes / 60), Math.floor(minutes % 60)]
      .map((part) => String(part).padStart(2, '0'))
      .join(':');
    return `${this.#shown(quarter).slice(0, 13)}:00${offset < 0 ? '-' : '+'}${text}`;
  }

  /** The quarter in which a date begins; where clocks skip it, that in which the next one does. */
  firstQuarterOf(date: string): number {
    let quarter = Date.parse(date) / QUARTER_MS - OFFSET_QUARTERS_MAX;
    while (this.dateOf(quarter) < date) quarter += 1;
    return quarter;
  }

  /** The first quarter of a date at which clocks show this time or a later one; of a date that ends before, the one after its end. @param minute such as `04:00` */
  quarterAt(date: string, minute: string): number {
    let quarter = this.firstQuarterOf(date);
    while (this.dateOf(quarter) === date && this.minuteOf(quarter) < minute) quarter += 1;
    return quarter;
  }

  /** What clocks show at the beginning of a quarter, `14:15`. */
  minuteOf(quarter: number): string {
    return this.#shown(quarter).slice(11, 16);
  }

  #shown(quarter: number): string {
    return new Date(quarter * QUARTER_MS + this.#offsetMs(quarter)).toISOString();
  }

  /** Looking an offset up takes long: on most days one look-up is enough for all quarters. */
  #offsetMs(quarter: number): number {
    const day = Math.floor(quarter / QUARTERS_PER_DAY);
    if (!this.#offsets.has(day)) {
      const [first, next] = [this.#lookUp(day * DAY_MS), this.#lookUp((day + 1) * DAY_MS)];
      this.#offsets.set(day, first === next ? first : undefined);
    }
    return this.#offsets.get(day) ?? this.#lookUp(quarter * QUARTER_MS);
  }

  #lookUp(at: number): number {
    const parts = this.#format.formatToParts(at);
    const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign, hours = 0, minutes = 0] = /([+-])(\d\d):(\d\d)/.exec(name) ?? [];
    return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
  }
}
