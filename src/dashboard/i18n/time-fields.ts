import { parseDateTime } from '../../core/date-time.ts';
import { localTimeIn } from '../../core/time-zone.ts';
import { pageZone } from './formats.ts';

/** ISO 8601 of what a field of date and time holds; a time that cannot be is given back as it is. */
export function timeFromField(text: string): string {
  try {
    return new Date(parseDateTime(text, 'from', pageZone())).toISOString();
  } catch {
    // A year that is still being typed must not take the page; the server says what is wrong with it.
    return text;
  }
}

/** A time for a field of date and time, to the minute; empty for none. */
export function fieldFromTime(iso: string | null | undefined): string {
  if (iso === null || iso === undefined) return '';
  const { date, minute } = localTimeIn(Date.parse(iso), pageZone());
  return `${date}T${minute}`;
}
