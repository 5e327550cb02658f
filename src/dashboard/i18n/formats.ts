import { parseDateTime } from '../../core/date-time.ts';
import { localTimeIn, machineZone } from '../../core/time-zone.ts';
import { MINUTE_MS } from '../../kit/durations.ts';
import type { Language } from './texts.ts';

export interface Formats {
  /** 21 Nov 2026, 14:03, in the zone of the page. */
  readonly dateTime: (iso: string) => string;
  /** 21 Nov 2026, 14:03:07 */
  readonly seconds: (iso: string) => string;
  /** 21 Nov 2026 */
  readonly date: (iso: string) => string;
  /** 21–23 Nov 2026; of one day 21 Nov 2026, 10:00–12:00. */
  readonly span: (from: string, until: string) => string;
  /** 14:03:07 */
  readonly time: (iso: string) => string;
  /** 14:03 */
  readonly minute: (iso: string) => string;
  /** With weekday and the name of the zone. */
  readonly exact: (iso: string) => string;
  /** Sun, 22 Nov; of a date without a time. */
  readonly day: (date: string) => string;
  /** Sun, 22 Nov, 14:00 */
  readonly hour: (iso: string) => string;
  /** 3 days ago; in hours below two days. */
  readonly ago: (iso: string) => string;
  readonly number: (value: number) => string;
  readonly decimal: (value: number) => string;
}

/** To make the formats of a language takes about a millisecond, and a page shows hundreds of times: all share them. */
const made: Record<string, Formats> = {};
let zone = machineZone();

/** Times are read and shown in the zone of the organisation; without one, in that of the browser. */
export function setPageZone(timeZone: string | undefined): void {
  zone = timeZone ?? machineZone();
}

/** Such as `Europe/Berlin`. */
export function pageZone(): string {
  return zone;
}

/** Zones to choose from. The viewer's own first: most organisations are where their owner is. */
export function zoneChoices(current: string | undefined): string[] {
  const known = [machineZone(), 'UTC', ...Intl.supportedValuesOf('timeZone')];
  return [...new Set(current === undefined ? known : [current, ...known])];
}

/** ISO 8601 of what a field of date and time holds; a time that cannot be is given back as it is. */
export function timeFromField(text: string): string {
  try {
    return new Date(parseDateTime(text, 'from', zone)).toISOString();
  } catch {
    // A year that is still being typed must not take the page; the server says what is wrong with it.
    return text;
  }
}

/** A time for a field of date and time, to the minute; empty for none. */
export function fieldFromTime(iso: string | null | undefined): string {
  if (iso === null || iso === undefined) return '';
  const { date, minute } = localTimeIn(Date.parse(iso), zone);
  return `${date}T${minute}`;
}

/** Times and numbers as a reader of the language writes them. */
export function formatsIn(language: Language): Formats {
  const formats = made[`${language} ${zone}`] ?? formatsOf(language, zone);
  made[`${language} ${zone}`] = formats;
  return formats;
}

const HOUR_MINUTES = 60;
const DAY_HOURS = 24;

/** @param format of the language */
function agoIn(format: Intl.RelativeTimeFormat, at: number): string {
  const minutes = Math.max(0, Math.floor((Date.now() - at) / MINUTE_MS));
  const hours = Math.floor(minutes / HOUR_MINUTES);
  if (hours === 0) return format.format(-minutes, 'minute');
  if (hours < 2 * DAY_HOURS) return format.format(-hours, 'hour');
  return format.format(-Math.floor(hours / DAY_HOURS), 'day');
}

const DAY = { weekday: 'short', day: 'numeric', month: 'short' } as const;

function formatsOf(language: Language, timeZone: string): Formats {
  const locale = language === 'en' ? 'en-GB' : 'de-DE';
  const times = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(locale, { timeZone, ...options });
    return (iso: string) => format.format(new Date(iso));
  };
  const relative = new Intl.RelativeTimeFormat(locale);
  const numbers = new Intl.NumberFormat(locale);
  const decimals = new Intl.NumberFormat(locale, {
    maximumFractionDigits: 1,
    signDisplay: 'exceptZero',
  });
  const spans = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(locale, { timeZone, ...options });
    return (from: string, until: string) => format.formatRange(new Date(from), new Date(until));
  };
  const date = times({ dateStyle: 'medium' });
  const days = spans({ dateStyle: 'medium' });
  const hours = spans({ dateStyle: 'medium', timeStyle: 'short' });
  return {
    date,
    span: (from, until) => (date(from) === date(until) ? hours : days)(from, until),
    dateTime: times({ dateStyle: 'medium', timeStyle: 'short' }),
    seconds: times({ dateStyle: 'medium', timeStyle: 'medium' }),
    time: times({ timeStyle: 'medium' }),
    minute: times({ timeStyle: 'short' }),
    exact: times({ dateStyle: 'full', timeStyle: 'full' }),
    day: times({ ...DAY, timeZone: 'UTC' }),
    hour: times({ ...DAY, hour: '2-digit', minute: '2-digit' }),
    ago: (iso) => agoIn(relative, Date.parse(iso)),
    number: (value) => numbers.format(value),
    decimal: (value) => decimals.format(value),
  };
}
