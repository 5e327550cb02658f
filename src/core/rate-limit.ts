import type { RateLimit } from './limits.ts';

/**
 * A token bucket (section 8): holds `burst` tokens, regains `ratePerSecond`, each request takes one.
 * Time is passed in and must be monotonic, so that a stepped wall clock neither grants nor denies anything.
 */
export class TokenBucket {
  readonly rate: RateLimit;
  #tokens: number;
  #filledAtMs: number;

  constructor({ ratePerSecond, burst }: RateLimit, nowMs: number) {
    this.rate = { ratePerSecond, burst };
    this.#tokens = burst;
    this.#filledAtMs = nowMs;
  }

  /** Takes a token. Returns 0, or how many milliseconds to wait until there is one (then none was taken). */
  take(nowMs: number): number {
    const { ratePerSecond, burst } = this.rate;
    const regained = ((nowMs - this.#filledAtMs) * ratePerSecond) / 1000;
    this.#tokens = Math.min(burst, this.#tokens + regained);
    this.#filledAtMs = nowMs;
    if (this.#tokens >= 1) {
      this.#tokens -= 1;
      return 0;
    }
    return ((1 - this.#tokens) / ratePerSecond) * 1000;
  }
}
