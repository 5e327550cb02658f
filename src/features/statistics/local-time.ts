import { QUARTER_MS } from '../../core/scan-count.ts';
import { DAY_MS, MINUTE_MS } from '../../kit/durations.ts';

const QUARTERS_PER_DAY = DAY_MS / QUARTER_MS;
/** No time zone is further from UTC. */
const OFFSET_QUARTERS_MAX = 15 * 4;

/** The dates and hours of one time zone, of quarters of an hour that are counted from 1970 UTC. */
export class LocalTime {
  readonly #format: Intl.DateTimeFormat;
  /** By days of UTC; undefined for a day on which clocks are changed. */
  readonly #offsets = new Map<number, number | undefined>();

  /** @param timeZone a name that `Intl` knows */
  constructor(timeZone: string) {
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

/** The date that is `days` after another. */
export function dateAfter(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);
}

/** How many days there are from one date to another, both included. */
export function daysBetween(first: string, last: string): number {
  return (Date.parse(last) - Date.parse(first)) / DAY_MS + 1;
}
