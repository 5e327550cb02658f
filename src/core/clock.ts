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

let writtenMs = Number.NaN;
let writtenText = '';

/**
 * ISO 8601 in UTC, or null: the form of every time on the wire (section 2.3). The last one is kept: in a rush many scans
 * share a millisecond, and making the text costs more than comparing two numbers.
 */
export function isoTime(timeMs: number | null): string | null {
  if (timeMs === null) return null;
  if (timeMs !== writtenMs) {
    writtenText = new Date(timeMs).toISOString();
    writtenMs = timeMs;
  }
  return writtenText;
}
