import { parseDateTime } from '../../core/date-time.ts';
import { TicketscanError } from '../../core/errors.ts';
import type { Edge } from '../../core/local-time.ts';
import { localTimeIn } from '../../core/time-zone.ts';
import { pageZone } from './formats.ts';

/** ISO 8601 of what a field of date and time holds; a time that cannot be is given back as it is. */
export function timeFromField(text: string, edge: Edge): string {
  try {
    return new Date(parseDateTime(text, edge, pageZone())).toISOString();
  } catch {
    // A year that is still being typed must not take the page; the server says what is wrong with it.
    return text;
  }
}

/** The refusal of a time that clocks skip. What else may be wrong is not told while somebody types. */
export function skippedTime(text: string): TicketscanError | undefined {
  try {
    // People read a blank where the field has a T.
    parseDateTime(text.replace('T', ' '), 'from', pageZone());
  } catch (error) {
    if (error instanceof TicketscanError && error.reason === 'time_skipped') return error;
  }
  return undefined;
}

/** A time for a field of date and time, to the minute; empty for none. */
export function fieldFromTime(iso: string | null | undefined): string {
  if (iso === null || iso === undefined) return '';
  const { date, minute } = localTimeIn(Date.parse(iso), pageZone());
  return `${date}T${minute}`;
}
