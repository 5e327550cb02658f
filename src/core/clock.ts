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

/** ISO 8601 in UTC, or null: the form of every time on the wire (section 2.3). */
export function isoTime(timeMs: number | null): string | null {
  return timeMs === null ? null : new Date(timeMs).toISOString();
}
