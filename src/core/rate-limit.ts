/**
 * A token bucket (section 8): holds `burst` tokens, regains `ratePerSecond`, each request takes one.
 * Time is passed in and must be monotonic, so that a stepped wall clock neither grants nor denies anything.
 */
export class TokenBucket {
  readonly #ratePerMs: number;
  readonly #burst: number;
  #tokens: number;
  #filledAtMs: number;

  constructor(ratePerSecond: number, burst: number, nowMs: number) {
    this.#ratePerMs = ratePerSecond / 1000;
    this.#burst = burst;
    this.#tokens = burst;
    this.#filledAtMs = nowMs;
  }

  /** Takes a token. Returns 0, or how many milliseconds to wait until there is one (then none was taken). */
  take(nowMs: number): number {
    this.#tokens = Math.min(
      this.#burst,
      this.#tokens + (nowMs - this.#filledAtMs) * this.#ratePerMs,
    );
    this.#filledAtMs = nowMs;
    if (this.#tokens >= 1) {
      this.#tokens -= 1;
      return 0;
    }
    return (1 - this.#tokens) / this.#ratePerMs;
  }
}
