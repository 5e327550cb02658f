import { TicketscanError } from '../../core/errors.ts';
import { windowFrom } from '../../core/ticket.ts';
import { readDuration } from '../../kit/durations.ts';
import type { Duration, TicketRequest, Time } from '../controls.ts';

/** Years of four digits, which ISO 8601 asks for: the last day is left for a clock that runs on. */
const EARLIEST_MS = Date.parse('0001-01-01T00:00:00Z');
const LATEST_MS = Date.parse('9999-12-31T00:00:00Z');

/** Milliseconds of a duration such as `2h`, `1d 12h` or 500. @throws TicketscanError `usage` */
export function durationMs(duration: Duration): number {
  const ms = typeof duration === 'number' ? duration : (readDuration(duration) ?? Number.NaN);
  if (Number.isFinite(ms) && ms >= 0) return ms;
  throw new TicketscanError(
    'usage',
    `"${duration}" is not a valid duration: give milliseconds, or text such as 2h, 90s, 1d 12h or 250ms; time only goes forward.`,
  );
}

/** Milliseconds since 1970 UTC. @throws TicketscanError `usage`, also for a year that has not four digits */
export function timeMs(time: Time): number {
  const ms =
    time instanceof Date ? time.getTime() : typeof time === 'number' ? time : Date.parse(time);
  if (Number.isFinite(ms) && ms >= EARLIEST_MS && ms <= LATEST_MS) return ms;
  throw new TicketscanError(
    'usage',
    `"${time}" is not a valid time: give a Date, milliseconds since 1970, or ISO 8601 such as 2027-01-31T09:00:00Z; years are 1 to 9999.`,
  );
}

/** The same request with milliseconds since 1970 UTC for its times. @throws TicketscanError `usage` */
export function withTimesInMs(request: TicketRequest): TicketRequest {
  return { ...request, ...windowFrom(request, timeMs) };
}
