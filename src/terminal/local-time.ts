const formats = new Map<string, Intl.DateTimeFormat>();

/**
 * A time as clocks show it in a time zone, to the second: `2026-11-22 14:02:07`.
 * @param timeMs milliseconds since 1970 UTC
 * @param timeZone of the machine by default
 */
export function localTime(timeMs: number, timeZone = ''): string {
  const format = formats.get(timeZone) ?? newFormat(timeZone);
  formats.set(timeZone, format);
  return format.format(timeMs);
}

/** As `localTime`, on the clock of this machine; undefined without a time. @param time ISO 8601, or milliseconds since 1970 UTC */
export function shownTime(time: string | number | null | undefined): string | undefined {
  if (time === null || time === undefined) return undefined;
  return localTime(typeof time === 'string' ? Date.parse(time) : time);
}

/** Swedish writes a date as ISO 8601 does. */
function newFormat(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('sv-SE', {
    dateStyle: 'short',
    timeStyle: 'medium',
    ...(timeZone !== '' && { timeZone }),
  });
}
