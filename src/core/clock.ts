import { MINUTE_MS } from '../kit/durations.ts';

/** Time as the program sees it; tests and simulations put their own in its place. */
export interface Clock {
  /** Wall clock, milliseconds since 1970 UTC. May jump either way. */
  now(): number;
  /** Milliseconds from an arbitrary start; never runs backwards. */
  monotonicMs(): number;
}

/** The month of `nowMs` in UTC as a number, for example 202611. Quotas are counted per such month. */
export function monthOf(nowMs: number): number {
  const date = new Date(nowMs);
  return date.getUTCFullYear() * 100 + date.getUTCMonth() + 1;
}

/** Milliseconds from `nowMs` to the first instant of the next month in UTC. */
export function msUntilNextMonth(nowMs: number): number {
  const date = new Date(nowMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) - nowMs;
}

const FIRST_GIVEN_MS = 0;
const LAST_GIVEN_MS = Date.UTC(9999, 0, 1) - 1;
/** How far the clocks of two machines may differ. */
const CLOCKS_DIFFER_MS = 5 * MINUTE_MS;

/** The error text for a time that `isGivenTime` refuses, */
export const GIVEN_YEARS = 'a time must be in the years 1970 to 9998 (UTC)';
/** and for one that is a limit. */
export const GIVEN_TIMES = `${GIVEN_YEARS}; leave it out for no limit`;

/** True for a valid input time: its year has four digits in every time zone. @param timeMs since 1970 UTC */
export function isGivenTime(timeMs: number): boolean {
  return timeMs >= FIRST_GIVEN_MS && timeMs <= LAST_GIVEN_MS;
}

/** True when `timeMs` is too far after `now` for an event in the past. */
export function isAhead(timeMs: number, now: number): boolean {
  return timeMs > now + CLOCKS_DIFFER_MS;
}

/** The last time that a `Date` can represent; the first is as far before 1970. */
const DATE_MS_MAX = 8.64e15;

let writtenMs = Number.NaN;
let writtenText = '';

/**
 * ISO 8601 in UTC, or null: the form of every time on the wire (section 2.3). Outside the years 0 to 9999, which an older
 * store may hold, years have six digits and a sign. The last text is kept: in a rush many scans share a millisecond, and
 * making the text costs more than comparing two numbers.
 */
export function isoTime(timeMs: number): string;
export function isoTime(timeMs: number | null): string | null;
export function isoTime(timeMs: number | null): string | null {
  if (timeMs === null) return null;
  if (timeMs !== writtenMs) {
    const shown = Math.min(Math.max(timeMs, -DATE_MS_MAX), DATE_MS_MAX);
    writtenText = new Date(shown).toISOString();
    writtenMs = timeMs;
  }
  return writtenText;
}

/** The beginning of the minute of a time. Both are milliseconds since 1970 UTC. */
export function minuteOf(time: number): number {
  return Math.floor(time / MINUTE_MS) * MINUTE_MS;
}
