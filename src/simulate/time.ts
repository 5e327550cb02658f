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

/** Timers do not keep the program running; this one does, as long as a run is not closed. */
const LONG_MS = 2 ** 30;

/** The machine's own clocks and timers. Closing it lets the program end, whatever is still pending. */
export class RealTime implements Time {
  readonly #startedAt = performance.now();
  #alive: NodeJS.Timeout | undefined;

  nowMs(): number {
    return performance.now() - this.#startedAt;
  }

  wallMs(): number {
    return Date.now();
  }

  after(delayMs: number, action: () => void): Timer {
    this.#alive ??= setInterval(() => undefined, LONG_MS);
    return setTimeout(action, Math.max(0, delayMs)).unref();
  }

  cancel(timer: Timer | undefined): void {
    clearTimeout(timer as NodeJS.Timeout | undefined);
  }

  close(): void {
    clearInterval(this.#alive);
  }
}
