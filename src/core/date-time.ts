import { DAY_MS, MINUTE_MS } from '../kit/durations.ts';
import { isGivenTime } from './clock.ts';
import { refuse } from './errors.ts';
import { boundOfDay, type Edge, momentOf } from './local-time.ts';

const FORM =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,3})\d*)?)?\s?(Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?)?$/i;
/** Hour, minute, second and fraction of a second. */
const MIDNIGHT = /^24:00:0*:0*$/;
/** The form in German spreadsheets: 24.12.2026 18:00. Points stand for no other order of day and month. */
const GERMAN_FORM =
  /^(\d{1,2})\.(\d{1,2})\.(\d{4})(?:,?\s+(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\s*Uhr)?)?$/i;

/**
 * Reads a time: `2026-12-24T18:00:00Z`, `2026-12-24 18:00:00+01`, `2026-12-24 18:00` (24:00 is the end of a day) or `2026-12-24`, and `24.12.2026 18:00` or `24.12.2026`.
 *
 * Without `Z` or an offset it is the local time of `timeZone`. A day alone is its first millisecond as the start of a
 * window and its last as the end, because windows include both ends. Of a time that clocks show twice, the start is the earlier and the end the later.
 *
 * @returns milliseconds since 1970 UTC
 * @throws TicketscanError `usage` for another form (12/10/2026 is two days), a day that does not exist, a time that
 *   clocks skip and a time outside the years 1970 to 9998
 */
export function parseDateTime(text: string, edge: Edge, timeZone: string): number {
  const dateTime = dateTimeFrom(text, edge, timeZone);
  if (isGivenTime(dateTime)) return dateTime;
  const detail = /9999/.test(text) ? 'Where there is no end, give none.' : undefined;
  throw refuse('time_range', {}, { of: `"${text}"`, ...(detail && { detail }) });
}

function dateTimeFrom(text: string, edge: Edge, timeZone: string): number {
  const parts = FORM.exec(inIsoForm(text.trim()));
  if (!parts) throw refuse(faultOf(text.trim()), { text });
  const isMidnight = MIDNIGHT.test(parts.slice(4, 8).join(':'));
  const numbers = parts.slice(1, 7).map(numberOf);
  const [year, month, day, given = 0, minute = 0, second = 0] = numbers;
  const hour = isMidnight ? 0 : given;
  // `Date.UTC` takes a year below 100 for one after 1900.
  if ((year ?? 0) < 100) return Number.NEGATIVE_INFINITY;
  const millisecond = millisecondsIn(parts[7]);
  const asUtc = Date.UTC(year ?? 0, (month ?? 0) - 1, day, hour, minute, second, millisecond);
  const back = new Date(asUtc);
  const found = [back.getUTCMonth() + 1, back.getUTCDate(), back.getUTCHours()];
  const isSame = found.join() === [month, day, hour].join();
  if (!isSame || minute >= 60 || second >= 60) throw refuse('time_missing', { text });
  const [isDay, offset] = [parts[4] === undefined, parts[8]];
  const shown = isMidnight ? asUtc + DAY_MS : asUtc;
  if (offset !== undefined) return shown - offsetMs(offset);
  // 24:00 is the moment at which the next day begins.
  if (isMidnight) return boundOfDay(shown, 'from', timeZone);
  return isDay ? boundOfDay(shown, edge, timeZone) : momentOf(shown, timeZone, edge, text);
}

/** Forms that people and spreadsheets write and that are never guessed, with the reason for each. */
const OTHER_FORMS = [
  ['time_serial', /^[1-9]\d{4}(?:[.,]\d+)?$/],
  ['time_short_year', /^\d{1,2}\.\d{1,2}\.\d{2}(?!\d)/],
  ['time_order', /^\d{1,2}[/-]\d{1,2}[/-]\d{2,4}(?!\d)/],
  [
    'time_endless',
    /^(?:unbegrenzt|unbefristet|unlimited|endless|forever|never|nie|no(?:ne| end| limit)|kein(?:e|s| ende)?|ohne(?: ende)?|illimit[eé]e?|ilimitad[oa]|illimitat[oa]|sem limite|sin l[ií]mite|onbeperkt|bezterminow[oye]|neomezen[eěoáý]|obegr[aä]nsa[dt]|ubegr(?:æ|ae)nset|permanent|lifetime|n\/a|[-–—∞])$/i,
  ],
] as const;

function faultOf(text: string): 'time_form' | (typeof OTHER_FORMS)[number][0] {
  return OTHER_FORMS.find(([, form]) => form.test(text))?.[0] ?? 'time_form';
}

/** A fraction of a second, to three digits. */
function millisecondsIn(digits = '0'): number {
  return Number(digits.padEnd(3, '0'));
}

/** The day that `2027-07-01` or `01.07.2027` names, as `2027-07-01`; another text as it is. */
export function isoDay(text: string): string {
  return inIsoForm(text.trim());
}

function inIsoForm(text: string): string {
  const parts = GERMAN_FORM.exec(text);
  if (!parts) return text;
  const [day, month, , hour, minute, second = '00'] = parts
    .slice(1)
    .map((part) => part?.padStart(2, '0'));
  const date = `${parts[3]}-${month}-${day}`;
  return hour === undefined ? date : `${date}T${hour}:${minute}:${second}`;
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

function offsetMs(offset: string): number {
  if (offset.toUpperCase() === 'Z') return 0;
  const sign = offset.startsWith('-') ? -1 : 1;
  const minutes = offset.length > 3 ? Number(offset.slice(-2)) : 0;
  return sign * (Number(offset.slice(1, 3)) * 60 + minutes) * MINUTE_MS;
}
