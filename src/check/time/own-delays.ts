const TICK_MS = 25;
/** Timers are a little late on any machine. */
const DELAY_MS_MIN = 100;

/**
 * Watches how long this process is kept from its work: on a busy machine it sends and hears late itself, and a right service or
 * device looks wrong.
 */
export class OwnDelays implements Disposable {
  readonly #timer: NodeJS.Timeout;
  readonly #now: () => number;
  #dueMs: number;
  #totalMs = 0;

  /**
   * @param now milliseconds on a clock that nobody sets
   * @param note called after each delay with its length
   */
  constructor(now: () => number, note: (ms: number) => void = () => undefined) {
    this.#now = now;
    this.#dueMs = now() + TICK_MS;
    this.#timer = setInterval(() => {
      const ms = this.#lateMs();
      this.#dueMs = now() + TICK_MS;
      if (ms === 0) return;
      this.#totalMs += ms;
      note(ms);
    }, TICK_MS).unref();
  }

  /** All delays up to now together, in milliseconds, with the one that is just ending. */
  get totalMs(): number {
    return this.#totalMs + this.#lateMs();
  }

  #lateMs(): number {
    const ms = this.#now() - this.#dueMs;
    return ms >= DELAY_MS_MIN ? ms : 0;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
