import { type Language, useLanguage } from './language.tsx';

export interface Formats {
  /** 21 Nov 2026, 14:03:07, in the viewer's zone. */
  readonly dateTime: (iso: string) => string;
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
  readonly number: (value: number) => string;
  readonly decimal: (value: number) => string;
}

/** To make the formats of a language takes about a millisecond, and a page shows hundreds of times: all share them. */
const made: Partial<Record<Language, Formats>> = {};

/** Times and numbers as the viewer writes them. */
export function useFormats(): Formats {
  const { language } = useLanguage();
  made[language] ??= formatsOf(language);
  return made[language];
}

/** Such as `Europe/Berlin`. */
export function viewersZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

const DAY = { weekday: 'short', day: 'numeric', month: 'short' } as const;

function formatsOf(language: Language): Formats {
  const locale = language === 'en' ? 'en-GB' : 'de-DE';
  const times = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(locale, options);
    return (iso: string) => format.format(new Date(iso));
  };
  const numbers = new Intl.NumberFormat(locale);
  const decimals = new Intl.NumberFormat(locale, {
    maximumFractionDigits: 1,
    signDisplay: 'exceptZero',
  });
  return {
    dateTime: times({ dateStyle: 'medium', timeStyle: 'medium' }),
    time: times({ timeStyle: 'medium' }),
    minute: times({ timeStyle: 'short' }),
    exact: times({ dateStyle: 'full', timeStyle: 'full' }),
    day: times({ ...DAY, timeZone: 'UTC' }),
    hour: times({ ...DAY, hour: '2-digit', minute: '2-digit' }),
    number: (value) => numbers.format(value),
    decimal: (value) => decimals.format(value),
  };
}
