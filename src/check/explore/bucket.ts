import { setTimeout as sleep } from 'node:timers/promises';

/** The limits of one key (section 8), in requests. */
export interface KeyLimits {
  /** A second. */
  readonly rate: number;
  /** At once, after a pause. */
  readonly burst: number;
}

export const STATED_LIMITS: KeyLimits = { rate: 50, burst: 100 };
/** Clocks and lines differ: a fifth of what is stated stays unused. */
const SHARE = 0.8;
/** The largest group of requests at once. */
export const AT_ONCE_MAX = 64;

interface Level {
  tokens: number;
  at: number;
}

/** Holds requests back so that no key exceeds its limits. */
export class Buckets {
  readonly #limits: KeyLimits;
  readonly #levels = new Map<string, Level>();

  /** @param limits as stated; a fifth of them stays unused */
  constructor(limits: KeyLimits) {
    this.#limits = { rate: limits.rate * SHARE, burst: Math.max(1, limits.burst * SHARE) };
  }

  /** How many requests of one key may leave at once, after a pause. */
  get atOnceMax(): number {
    return Math.max(1, Math.floor(Math.min(this.#limits.burst, AT_ONCE_MAX)));
  }

  /** Resolves when a request of each of these keys may leave. */
  async take(keys: readonly string[]): Promise<void> {
    const counts = new Map<string, number>();
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
    for (;;) {
      const waitMs = Math.max(...[...counts].map(([key, count]) => this.#missingMs(key, count)));
      if (waitMs <= 0) break;
      await sleep(Math.ceil(waitMs));
    }
    for (const [key, count] of counts) this.#level(key).tokens -= count;
  }

  #missingMs(key: string, count: number): number {
    const { rate, burst } = this.#limits;
    return ((Math.min(count, burst) - this.#level(key).tokens) / rate) * 1000;
  }

  #level(key: string): Level {
    const { rate, burst } = this.#limits;
    const now = performance.now();
    const level = this.#levels.get(key) ?? { tokens: burst, at: now };
    level.tokens = Math.min(burst, level.tokens + ((now - level.at) / 1000) * rate);
    level.at = now;
    this.#levels.set(key, level);
    return level;
  }
}
