import { setTimeout as sleep } from 'node:timers/promises';

const WINDOW_MS = 1000;

/** A clock that never runs backwards, in milliseconds, and a way to let it run. */
export interface PaceClock {
  now(): number;
  sleep(ms: number): Promise<unknown>;
}

export const REAL_CLOCK: PaceClock = { now: () => performance.now(), sleep };

/** Holds requests back. */
export interface Pacer {
  /** How many requests of one key may leave at once, after a pause. */
  readonly burst: number;
  /** Resolves when `count` requests of the key may leave. First come, first served. */
  wait(count: number, key: string): Promise<void>;
  /** The server limited the key: it sends nothing for these milliseconds. */
  slowDown(key: string, ms: number): void;
  /** The server served the key. */
  speedUp(key: string): void;
}

/**
 * Holds requests back so that no second sees more than `perSecond` of them, whichever second one looks at.
 * Requests that must leave together wait until there is room for all of them.
 */
export class Pace implements Pacer {
  readonly #perSecond: number;
  readonly #clock: PaceClock;
  readonly #sent: number[] = [];
  #turn: Promise<void> = Promise.resolve();
  #pausedUntil = Number.NEGATIVE_INFINITY;

  constructor(perSecond: number, clock: PaceClock = REAL_CLOCK) {
    this.#perSecond = perSecond;
    this.#clock = clock;
  }

  get burst(): number {
    return this.#perSecond;
  }

  /** Resolves when `count` requests may leave. First come, first served. */
  wait(count = 1): Promise<void> {
    this.#turn = this.#turn.then(() => this.#waitForRoom(count));
    return this.#turn;
  }

  /** The rate is for all keys together: all of them wait. */
  slowDown(_key: string, ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#clock.now() + ms);
  }

  /** Does nothing: the rate is as it was given. */
  speedUp(): void {}

  async #waitForRoom(count: number): Promise<void> {
    const wanted = Math.min(count, this.#perSecond);
    for (;;) {
      const now = this.#clock.now();
      if (now < this.#pausedUntil) {
        await this.#clock.sleep(this.#pausedUntil - now);
        continue;
      }
      while (this.#sent.length > 0 && now - (this.#sent[0] ?? 0) >= WINDOW_MS) this.#sent.shift();
      if (this.#sent.length + wanted <= this.#perSecond) break;
      const leaver = this.#sent[this.#sent.length + wanted - this.#perSecond - 1] ?? now;
      await this.#clock.sleep(Math.max(1, leaver + WINDOW_MS - now));
    }
    const now = this.#clock.now();
    for (let i = 0; i < count; i += 1) this.#sent.push(now);
  }
}
