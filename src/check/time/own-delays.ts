const TICK_MS = 25;
/** Timers are a little late on any machine. */
const DELAY_MS_MIN = 100;

/**
 * Watches how long this process is kept from its work: on a busy machine it sends and hears late itself, and a right service or
 * device looks wrong. One for the whole process, which ticks only while somebody wants to know.
 */
export class OwnDelays {
  readonly #now: () => number;
  readonly #notes = new Set<(ms: number) => void>();
  #timer: NodeJS.Timeout | undefined;

  /** @param now milliseconds on a clock that nobody sets */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Calls `note` after each delay with its length, in milliseconds, until the watch is disposed of. */
  watch(note: (ms: number) => void): Disposable {
    // an object of its own, because the same function may be given twice
    const own = (ms: number) => note(ms);
    this.#notes.add(own);
    this.#timer ??= this.#ticking();
    return { [Symbol.dispose]: () => this.#forget(own) };
  }

  #ticking(): NodeJS.Timeout {
    let dueMs = this.#now() + TICK_MS;
    return setInterval(() => {
      const atMs = this.#now();
      const ms = atMs - dueMs;
      dueMs = atMs + TICK_MS;
      if (ms >= DELAY_MS_MIN) for (const note of this.#notes) note(ms);
    }, TICK_MS).unref();
  }

  #forget(note: (ms: number) => void): void {
    this.#notes.delete(note);
    if (this.#notes.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
