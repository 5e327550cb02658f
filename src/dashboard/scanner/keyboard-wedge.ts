/** A hand scanner types faster than any person. */
const QUICK_MS_MAX = 100;
/** Some that come over Bluetooth are as slow as a person: only what they type tells. */
export const SLOW_MS_MAX = 500;
/** A line end of two characters comes as two keys. */
const TAIL_MS_MAX = 250;
const CHARACTERS_MIN = 4;
/** What a person would not type by hand, up to the line end. */
const SLOW_CHARACTERS_MIN = 30;

/** How a ticket code begins, also when the keyboard layout or caps lock is another, and with the mark of a reader before it. */
const CODE_BEGIN = /(?:\][a-z]\d)?ts[12][^0-9a-z]/iu;

/** Whether a text has the begin of a ticket code in it. */
export function looksLikeCode(text: string): boolean {
  return CODE_BEGIN.test(text);
}

interface TypedKey {
  readonly character: string;
  /** Whether it came as quickly as from a machine. */
  readonly isQuick: boolean;
}

/**
 * Recognises what a hand scanner types: characters in quick succession, then Enter or Tab; or, however slowly, a ticket code. Other
 * slow typing is a person's and is left alone.
 */
export class KeyboardWedge {
  #keys: TypedKey[] = [];
  #lastAt = Number.NEGATIVE_INFINITY;
  #takenAt = Number.NEGATIVE_INFINITY;

  /**
   * @param key as in `KeyboardEvent.key`
   * @param at when, in milliseconds of a monotonic clock
   * @returns the code when this key ended one
   */
  press(key: string, at: number): string | undefined {
    const gap = at - this.#lastAt;
    const isEnd = isLineEnd(key);
    // Shift and the like are no characters, and do not break the flow.
    if (!isEnd && [...key].length !== 1) return undefined;
    if (gap > SLOW_MS_MAX) this.#keys = [];
    this.#lastAt = at;
    if (!isEnd) {
      this.#keys.push({ character: key, isQuick: gap <= QUICK_MS_MAX });
      return undefined;
    }
    const typed = gap <= QUICK_MS_MAX ? this.#quickText() : '';
    const code = this.#slowCode(typed) ?? (typed.length >= CHARACTERS_MIN ? typed : undefined);
    this.#keys = [];
    return code;
  }

  /** The characters since the last pause. */
  #quickText(): string {
    const from = this.#keys.findLastIndex(({ isQuick }) => !isQuick);
    return textOf(this.#keys.slice(Math.max(from, 0)));
  }

  /** A ticket code with pauses in it: from the last pause before it begins. */
  #slowCode(quick: string): string | undefined {
    const begin = CODE_BEGIN.exec(textOf(this.#keys))?.index;
    if (begin === undefined || looksLikeCode(quick)) return undefined;
    const from = this.#keys.findLastIndex(({ isQuick }, index) => index <= begin && !isQuick);
    const code = textOf(this.#keys.slice(Math.max(from, 0)));
    return code.length >= SLOW_CHARACTERS_MIN ? code : undefined;
  }

  /** Whether a key at this time goes on with what a machine types. */
  isFlowing(at: number): boolean {
    return this.#keys.length > 0 && at - this.#lastAt <= QUICK_MS_MAX;
  }

  /** Says that the code was taken: what is left of its line end is nobody's key. */
  take(at: number): void {
    this.#takenAt = at;
  }

  /** Whether this key is the rest of the line end of a code. */
  isTail(key: string, at: number): boolean {
    const isNext = this.#keys.length === 0 && at - this.#takenAt <= TAIL_MS_MAX;
    return isNext && isLineEnd(key);
  }
}

function isLineEnd(key: string): boolean {
  return key === 'Enter' || key === 'Tab';
}

function textOf(keys: readonly TypedKey[]): string {
  return keys.map(({ character }) => character).join('');
}
