/** A pending action, to be handed to `Time.cancel`. */
export type Timer = object;

/** Time as devices see it: real, or virtual and then as fast as the machine computes. */
export interface Time {
  /** Milliseconds since the run began; never runs backwards. */
  nowMs(): number;
  /** Wall clock, milliseconds since 1970 UTC. */
  wallMs(): number;
  /** Calls `action` once, `delayMs` milliseconds from now. */
  after(delayMs: number, action: () => void): Timer;
  /** Forgets a pending action; does nothing when it already ran. */
  cancel(timer: Timer | undefined): void;
}

/** The machine's own clocks and timers. */
export class RealTime implements Time {
  readonly #startedAt = performance.now();

  nowMs(): number {
    return performance.now() - this.#startedAt;
  }

  wallMs(): number {
    return Date.now();
  }

  after(delayMs: number, action: () => void): Timer {
    return setTimeout(action, Math.max(0, delayMs));
  }

  cancel(timer: Timer | undefined): void {
    clearTimeout(timer as NodeJS.Timeout | undefined);
  }
}
