import { msUntilNextMonth } from '../../core/clock.ts';
import { DAY_MS } from '../../kit/durations.ts';

/** Less than this says nothing about the rest of a month: a key's first hour may be its busiest. */
const SHARE_MIN = 0.1;

/** How much of its month a key has used, with the facts for a forecast. */
export interface MonthUse {
  readonly requestsInMonth: number;
  readonly quotaPerMonth: number;
  /** When the key was created, milliseconds since 1970 UTC. */
  readonly createdAt: number;
}

/**
 * When the month of a key will be used up if it goes on as on average so far, milliseconds since 1970 UTC; `now` when it is,
 * null when it lasts. With less than a day of data, and less than a tenth of the month used, it is taken to last.
 */
export function usedUpAt(
  { requestsInMonth, quotaPerMonth, createdAt }: MonthUse,
  now: number,
): number | null {
  const left = quotaPerMonth - requestsInMonth;
  if (left <= 0) return now;
  const date = new Date(now);
  const monthStart = Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
  const elapsedMs = now - Math.max(monthStart, Math.min(createdAt, now));
  if (requestsInMonth === 0 || elapsedMs <= 0) return null;
  if (elapsedMs < DAY_MS && requestsInMonth < quotaPerMonth * SHARE_MIN) return null;
  const leftMs = (left * elapsedMs) / requestsInMonth;
  return leftMs < msUntilNextMonth(now) ? Math.round(now + leftMs) : null;
}
