import { machineZone } from '../../core/machine-zone.ts';
import { MINUTE_MS } from '../../kit/durations.ts';
import type { Language } from './texts.ts';

/** Times and numbers as a reader of the language writes them. */
export type Formats = ReturnType<typeof formatsOf>;

/** The formats that all share: to make those of a language takes about a millisecond, and a page shows hundreds of times. */
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

/** The same ones for each language and zone. */
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

function formatsOf(language: Language, timeZone: string) {
  const locale = language === 'en' ? 'en-GB' : 'de-DE';
  const formatOf = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { timeZone, ...options });
  const times = (options: Intl.DateTimeFormatOptions) => {
    const format = formatOf(options);
    return (iso: string) => format.format(new Date(iso));
  };
  const relative = new Intl.RelativeTimeFormat(locale);
  const numbers = new Intl.NumberFormat(locale);
  const percents = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 });
  const signed = { maximumFractionDigits: 1, signDisplay: 'exceptZero' } as const;
  const decimals = new Intl.NumberFormat(locale, signed);
  const date = times({ dateStyle: 'medium' });
  const days = formatOf({ dateStyle: 'medium' });
  const hours = formatOf({ dateStyle: 'medium', timeStyle: 'short' });
  const minute = times({ timeStyle: 'short' });
  const time = times({ timeStyle: 'medium' });
  const dateTime = times({ dateStyle: 'medium', timeStyle: 'short' });
  const seconds = times({ dateStyle: 'medium', timeStyle: 'medium' });
  const isToday = (iso: string) => date(iso) === date(new Date().toISOString());
  return {
    /** 21 Nov 2026, in the zone of the page. */
    date,
    /** 21–23 Nov 2026; of one day 21 Nov 2026, 10:00–12:00. */
    span: (from: string, until: string) =>
      (date(from) === date(until) ? hours : days).formatRange(new Date(from), new Date(until)),
    /** 21 Nov 2026, 14:03 */
    dateTime,
    /** 21 Nov 2026, 14:03:07 */
    seconds,
    /** 14:03:07 */
    time,
    /** 14:03 */
    minute,
    /** 14:03; with the day if that is not today. */
    minuteOrDay: (iso: string) => (isToday(iso) ? minute : dateTime)(iso),
    /** 14:03:07; with the day if that is not today. */
    timeOrDay: (iso: string) => (isToday(iso) ? time : seconds)(iso),
    /** The whole time with weekday and the name of the zone. */
    exact: times({ dateStyle: 'full', timeStyle: 'full' }),
    /** Sun, 22 Nov; of a date without a time. */
    day: times({ ...DAY, timeZone: 'UTC' }),
    /** Sun, 22 Nov 2026; of a date without a time. */
    wholeDay: times({ ...DAY, year: 'numeric', timeZone: 'UTC' }),
    /** Sun, 22 Nov, 14:00 */
    hour: times({ ...DAY, hour: '2-digit', minute: '2-digit' }),
    /** 3 days ago; in hours below two days. */
    ago: (iso: string) => agoIn(relative, Date.parse(iso)),
    number: (value: number) => numbers.format(value),
    /** 40% */
    percent: (share: number) => percents.format(share),
    decimal: (value: number) => decimals.format(value),
  };
}
