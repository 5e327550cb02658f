const SAME_CODE_MS = 3000;

/**
 * A camera sees the same ticket in every picture: only the first counts, until the code was out of view for three
 * seconds.
 */
export class RepeatGuard {
  #code = '';
  #seenAt = Number.NEGATIVE_INFINITY;

  /** Whether this sight of a code is a new scan. @param at milliseconds of a monotonic clock */
  isNew(code: string, at: number): boolean {
    const repeated = code === this.#code && at - this.#seenAt < SAME_CODE_MS;
    this.#code = code;
    this.#seenAt = at;
    return !repeated;
  }
}
