/** A code counts again when it was out of view for so long. */
const AWAY_MS = 3000;
/** What one picture says at most about the time before it: a page that stood still has looked at nothing. */
const PICTURE_MS_MAX = 500;

/**
 * Tells which codes in the pictures of a camera are new: a camera sees the same ticket in every picture, and only the first sight
 * counts until the code was out of view. Each code has its own time, and only pictures that were looked at count.
 */
export class Sights {
  /** The time in milliseconds that each code is out of view. */
  readonly #awayMs = new Map<string, number>();
  #lookedAt: number | undefined;

  /**
   * @param codes all that one picture shows; none for a picture without a code
   * @param at when it was looked at, in milliseconds of a monotonic clock
   * @returns the codes that are new
   */
  look(codes: readonly string[], at: number): string[] {
    const passed = Math.min(at - (this.#lookedAt ?? at), PICTURE_MS_MAX);
    this.#lookedAt = at;
    for (const [code, awayMs] of this.#awayMs) {
      if (awayMs + passed >= AWAY_MS) this.#awayMs.delete(code);
      else this.#awayMs.set(code, awayMs + passed);
    }
    const found = codes.filter((code) => !this.#awayMs.has(code));
    for (const code of codes) this.#awayMs.set(code, 0);
    return found;
  }

  /** A picture whose codes do not count: those that did before are still in view, and the others stay new. */
  lookPast(codes: readonly string[], at: number): void {
    for (const code of this.look(codes, at)) this.forget(code);
  }

  /** The sight of a code that was not taken counts as none: the next picture with it is new. */
  forget(code: string): void {
    this.#awayMs.delete(code);
  }
}
