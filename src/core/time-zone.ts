import { refuse } from './errors.ts';
import { machineZone } from './machine-zone.ts';

/** The zone that was asked for, else that of the organisation, else that of this machine. @throws TicketscanError `usage` */
export function chosenZone(
  asked: string | undefined,
  own: { readonly timeZone?: string | undefined },
) {
  return checkTimeZone(asked ?? own.timeZone ?? machineZone());
}

/** @throws TicketscanError `usage` for a name that is no time zone */
export function checkTimeZone(name: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch (error) {
    throw refuse('unknown_time_zone', { name }, { cause: error });
  }
}

const formats = new Map<string, Intl.DateTimeFormat>();
/** Every zone of the tables, and the other names that some of them have. */
const FORMATS_MAX = 1000;

/** A time as clocks in a time zone show it. */
export interface LocalTime {
  /** `2026-11-22` */
  readonly date: string;
  /** `14:02` */
  readonly minute: string;
}

/**
 * @param timeMs milliseconds since 1970 UTC
 * @param timeZone a name that `checkTimeZone` accepted; one that this machine does not know is UTC
 */
export function localTimeIn(timeMs: number, timeZone: string): LocalTime {
  const [date = '', time = ''] = formatOf(timeZone).format(timeMs).split(' ');
  return { date, minute: time.slice(0, 5) };
}

/**
 * A time for people, to the second: `2026-11-22 14:02:07`; undefined without a time. Machines get ISO 8601 in UTC.
 * @param time ISO 8601, or milliseconds since 1970 UTC
 * @param timeZone what `chosenZone` found; the output names it once, as `inZone` does
 */
export function shownTime(time: string | number, timeZone: string): string;
export function shownTime(
  time: string | number | null | undefined,
  timeZone: string,
): string | undefined;
export function shownTime(
  time: string | number | null | undefined,
  timeZone: string,
): string | undefined {
  if (time === null || time === undefined) return undefined;
  return formatOf(timeZone).format(typeof time === 'string' ? Date.parse(time) : time);
}

/** A heading or a time that says its zone: `TIME (Europe/Berlin)`. */
export function inZone(text: string, timeZone: string): string {
  return `${text} (${timeZone})`;
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  // Swedish writes a date as ISO 8601 does.
  const options = { dateStyle: 'short', timeStyle: 'medium' } as const;
  const format = new Intl.DateTimeFormat('sv-SE', { ...options, timeZone: knownZone(timeZone) });
  if (formats.size < FORMATS_MAX) formats.set(timeZone, format);
  return format;
}

/** Another machine may have written a name that is newer than the tables here. */
function knownZone(timeZone: string): string {
  try {
    return checkTimeZone(timeZone);
  } catch {
    return 'UTC';
  }
}
