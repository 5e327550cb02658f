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

interface Entry {
  readonly atMs: number;
  action: (() => void) | undefined;
}

/**
 * Time that is stopped until a test runs it, and then jumps from one action to the next.
 * The same actions always run in the same order, so a run can be repeated byte for byte.
 */
export class VirtualTime implements Time {
  readonly #wallStartMs: number;
  /** The latest first: what is due next is taken from the end. */
  readonly #entries: Entry[] = [];
  #nowMs = 0;

  /** @param wallStartMs what the wall clock shows at the start, milliseconds since 1970 UTC */
  constructor(wallStartMs: number = Date.UTC(2026, 0, 1, 9)) {
    this.#wallStartMs = wallStartMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  wallMs(): number {
    return this.#wallStartMs + Math.floor(this.#nowMs);
  }

  after(delayMs: number, action: () => void): Timer {
    const entry: Entry = { atMs: this.#nowMs + Math.max(0, delayMs), action };
    // Actions due at the same moment run in the order in which they were asked for.
    let [from, to] = [0, this.#entries.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.#entries[middle]?.atMs ?? 0) > entry.atMs) from = middle + 1;
      else to = middle;
    }
    this.#entries.splice(from, 0, entry);
    return entry;
  }

  cancel(timer: Timer | undefined): void {
    if (timer) (timer as Entry).action = undefined;
  }

  /** Runs everything due up to `untilMs`, then stops there. */
  runUntil(untilMs: number): void {
    this.runWhile(() => (this.#entries.at(-1)?.atMs ?? Number.POSITIVE_INFINITY) > untilMs);
    this.#nowMs = Math.max(this.#nowMs, untilMs);
  }

  /** Runs until `done` says so or nothing is left to do; returns whether `done` was reached. */
  runWhile(done: () => boolean): boolean {
    while (!done()) {
      const next = this.#entries.pop();
      if (!next) return false;
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.action?.();
    }
    return true;
  }
}
