/** A hand scanner types faster than any person. */
const BETWEEN_KEYS_MS_MAX = 100;
const CHARACTERS_MIN = 4;

/**
 * Recognises what a hand scanner types: characters in quick succession, then Enter. Slow typing is a person's and is
 * left alone.
 */
export class KeyboardWedge {
  #typed = '';
  #lastAt = Number.NEGATIVE_INFINITY;

  /**
   * @param key as in `KeyboardEvent.key`
   * @param at when, in milliseconds of a monotonic clock
   * @returns the code when this key ended one
   */
  press(key: string, at: number): string | undefined {
    const quick = at - this.#lastAt <= BETWEEN_KEYS_MS_MAX;
    const typed = quick ? this.#typed : '';
    if (key === 'Enter' || key === 'Tab') {
      this.#typed = '';
      return typed.length >= CHARACTERS_MIN ? typed : undefined;
    }
    // Shift and the like are no characters, and do not break the flow.
    if ([...key].length !== 1) return undefined;
    this.#typed = typed + key;
    this.#lastAt = at;
    return undefined;
  }
}
