import type { Clock } from '../core/clock.ts';
import { TicketscanError } from '../core/errors.ts';
import { windowFrom } from '../core/ticket.ts';
import { readDuration } from '../kit/durations.ts';
import type { ClockState, Duration, TicketRequest, Time } from './controls.ts';

interface Position {
  /** Ahead of the wall clock below. */
  readonly offsetMs: number;
  /** Ahead of the monotonic clock below. */
  readonly monotonicOffsetMs: number;
  /** Where both stand; null while they run. */
  readonly frozen: { readonly nowMs: number; readonly monotonicMs: number } | null;
}

const RUNNING: Position = { offsetMs: 0, monotonicOffsetMs: 0, frozen: null };

/**
 * A clock that can be set, moved and stopped. The monotonic time passes along with it, so that a bucket fills while a
 * test lets an hour pass; set back, the wall clock goes back and the monotonic one does not.
 */
export class ControlledClock implements Clock {
  readonly #base: Clock;
  #position = RUNNING;

  constructor(base: Clock) {
    this.#base = base;
  }

  now(): number {
    const { frozen, offsetMs } = this.#position;
    return frozen ? frozen.nowMs : this.#base.now() + offsetMs;
  }

  monotonicMs(): number {
    const { frozen, monotonicOffsetMs } = this.#position;
    return frozen ? frozen.monotonicMs : this.#base.monotonicMs() + monotonicOffsetMs;
  }

  advance(ms: number): void {
    this.#move(this.now() + ms, this.monotonicMs() + ms);
  }

  set(nowMs: number): void {
    const forwardMs = Math.max(0, nowMs - this.now());
    this.#move(nowMs, this.monotonicMs() + forwardMs);
  }

  /** Stops at `nowMs` exactly, or where it is. */
  freeze(nowMs = this.now()): void {
    const forwardMs = Math.max(0, nowMs - this.now());
    const frozen = { nowMs, monotonicMs: this.monotonicMs() + forwardMs };
    this.#position = { ...this.#position, frozen };
  }

  resume(): void {
    const [now, monotonic] = [this.now(), this.monotonicMs()];
    this.#position = { ...this.#position, frozen: null };
    this.#move(now, monotonic);
  }

  /** Runs with the clock below again. */
  reset(): void {
    this.#position = RUNNING;
  }

  /** @returns puts the clock back to its present state */
  takeSnapshot(): () => void {
    const position = this.#position;
    return () => {
      this.#position = position;
    };
  }

  state(): ClockState {
    const now = this.now();
    return {
      now: new Date(now).toISOString(),
      frozen: this.#position.frozen !== null,
      offsetMs: Math.round(now - this.#base.now()),
    };
  }

  #move(nowMs: number, monotonicMs: number): void {
    const { frozen } = this.#position;
    this.#position = {
      offsetMs: nowMs - this.#base.now(),
      monotonicOffsetMs: monotonicMs - this.#base.monotonicMs(),
      frozen: frozen && { nowMs, monotonicMs },
    };
  }
}

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
