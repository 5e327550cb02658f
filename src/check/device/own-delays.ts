/** A moment at which the judge went on after it had stood still. */
export interface OwnDelay {
  /** Milliseconds since the session began. */
  readonly atMs: number;
  /** For how long it did nothing. */
  readonly ms: number;
}

const TICK_MS = 25;
/** Timers are a little late on any machine. */
const DELAY_MS_MIN = 100;

/**
 * Watches how long this process is kept from its work: on a busy machine it answers late itself, and a right device looks wrong.
 * @param now milliseconds since the session began
 */
export class OwnDelays implements Disposable {
  readonly #timer: NodeJS.Timeout;

  constructor(now: () => number, note: (delay: OwnDelay) => void) {
    let dueMs = now() + TICK_MS;
    this.#timer = setInterval(() => {
      const atMs = now();
      const ms = atMs - dueMs;
      dueMs = atMs + TICK_MS;
      if (ms >= DELAY_MS_MIN) note({ atMs, ms });
    }, TICK_MS).unref();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
