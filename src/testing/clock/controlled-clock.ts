import type { Clock } from '../../core/clock.ts';
import type { ClockState } from '../controls.ts';

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
