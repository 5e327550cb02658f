import { useEffect, useRef } from 'react';

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

/** Calls back with every code that a hand scanner types while no field has the focus. */
export function useKeyboardWedge(onCode: (code: string) => void): void {
  const latest = useRef(onCode);
  latest.current = onCode;
  useEffect(() => {
    const wedge = new KeyboardWedge();
    const onKey = (event: KeyboardEvent) => {
      if (isField(event.target) || event.ctrlKey || event.altKey || event.metaKey) return;
      const code = wedge.press(event.key, event.timeStamp);
      if (code === undefined) return;
      // Or the Enter would press the button that has the focus.
      event.preventDefault();
      latest.current(code);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

/** Where characters are typed into; a box to tick or a choice takes none. */
const FIELDS = 'input:not([type="radio"], [type="checkbox"]), textarea, select';

function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches(FIELDS);
}
