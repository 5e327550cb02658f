/**
 * One guard for the keys of the whole page. What a hand scanner types goes to the scan page where that is open; anywhere else its
 * Enter or Tab presses nothing, submits nothing and moves no focus, and the page says that a code was scanned.
 */
import { useEffect, useRef } from 'react';
import { KeyboardWedge, looksLikeCode } from './keyboard-wedge.ts';

type Taker = (code: string) => void;

/** The open scan page. */
let taker: Taker | undefined;

/** Gives every code that a hand scanner types to the component, wherever the focus is. */
export function useScannedCodes(onCode: Taker): void {
  const latest = useRef(onCode);
  latest.current = onCode;
  useEffect(() => {
    const own: Taker = (code) => latest.current(code);
    taker = own;
    return () => {
      if (taker === own) taker = undefined;
    };
  }, []);
}

/** Guards the keys of the page. @param onStray called for a code that no scan page took */
export function useKeyGuard(onStray: Taker): void {
  const latest = useRef(onStray);
  latest.current = onStray;
  useEffect(() => {
    const guard = new KeyGuard((code) => latest.current(code));
    // Before every other listener of the page: a dialogue or a field must not see the key.
    const options = { capture: true };
    window.addEventListener('keydown', guard.onKeyDown, options);
    window.addEventListener('keyup', guard.onKeyUp, options);
    return () => {
      window.removeEventListener('keydown', guard.onKeyDown, options);
      window.removeEventListener('keyup', guard.onKeyUp, options);
    };
  }, []);
}

class KeyGuard {
  readonly #wedge = new KeyboardWedge();
  readonly #onStray: Taker;
  #isSpaceKept = false;
  /** A list of choices, and what was chosen before the keys that may be a code. */
  #choice: { readonly list: HTMLSelectElement; readonly value: string } | undefined;

  constructor(onStray: Taker) {
    this.#onStray = onStray;
  }

  readonly onKeyDown = (event: KeyboardEvent): void => {
    if (event.repeat || (isShortcut(event) && !isControlLineEnd(event))) return;
    const key = isControlLineEnd(event) ? 'Enter' : event.key;
    const at = event.timeStamp;
    const field = fieldOf(event.target);
    if (this.#wedge.isTail(key, at)) {
      keep(event);
      return;
    }
    if (!field) this.#keepFromControls(event);
    const code = this.#wedge.press(key, at);
    if (code === undefined || (field && isForField(field, code, key))) return;
    keep(event);
    this.#wedge.take(at);
    if (field) removeFrom(field, code);
    else this.#restoreChoice(event.target);
    this.#give(code);
  };

  /** A blank within a code would press the button that has the focus, and letters choose in a list that has it. */
  #keepFromControls(event: KeyboardEvent): void {
    const { key, target } = event;
    if (key.length !== 1) return;
    const isFlowing = this.#wedge.isFlowing(event.timeStamp);
    const isList = target instanceof HTMLSelectElement;
    // The first letter may be a person's, who chooses by it.
    if (isList && !isFlowing) this.#choice = { list: target, value: target.value };
    if (!isFlowing || (key !== ' ' && !isList)) return;
    if (key === ' ') this.#isSpaceKept = true;
    keep(event);
  }

  /** Takes back what the first letter of a code has chosen. */
  #restoreChoice(target: EventTarget | null): void {
    const { list, value } = this.#choice ?? {};
    this.#choice = undefined;
    if (!list || list !== target || value === undefined || list.value === value) return;
    list.value = value;
    list.dispatchEvent(new Event('change', { bubbles: true }));
  }

  #give(code: string): void {
    if (taker && !document.querySelector('[role="dialog"]')) taker(code);
    else this.#onStray(code);
  }

  readonly onKeyUp = (event: KeyboardEvent): void => {
    if (event.key !== ' ' || !this.#isSpaceKept) return;
    this.#isSpaceKept = false;
    keep(event);
  };
}

function keep(event: KeyboardEvent): void {
  event.preventDefault();
  event.stopImmediatePropagation();
}

function isShortcut(event: KeyboardEvent): boolean {
  const { ctrlKey, altKey, metaKey } = event;
  // With AltGr both are held, and a character is typed.
  return (ctrlKey || altKey || metaKey) && !event.getModifierState('AltGraph');
}

/** Some scanners send the control characters CR and LF themselves. */
function isControlLineEnd({ ctrlKey, altKey, metaKey, key }: KeyboardEvent): boolean {
  return ctrlKey && !altKey && !metaKey && (key === 'j' || key === 'm');
}

/** Where characters are typed into; a box to tick or a choice takes none. */
const FIELDS = 'input:not([type="radio"], [type="checkbox"]), textarea';

type Field = HTMLInputElement | HTMLTextAreaElement;

function fieldOf(target: EventTarget | null): Field | undefined {
  return target instanceof HTMLElement && target.matches(FIELDS) ? (target as Field) : undefined;
}

/** Marks the field whose text is a code itself. */
export const TAKES_CODES = { 'data-takes-codes': true } as const;

/** Whether what was typed quickly into a field is meant for it: a password or a name from a machine, or a code in part by hand. */
function isForField(field: Field, typed: string, key: string): boolean {
  if (looksLikeCode(typed)) return false;
  // The Tab of a scanner is as good as its Enter, where nothing but the code is in the field.
  return !('takesCodes' in field.dataset && key === 'Tab' && field.value === typed);
}

/** Takes a code out of the field that it was typed into, as if a person did. */
function removeFrom(field: Field, code: string): void {
  const { value } = field;
  // A field with a bound has only the begin of it.
  const typed = [...code].map((_, index) => code.slice(0, code.length - index));
  const found = typed.find((text) => value.includes(text)) ?? '';
  const from = value.lastIndexOf(found);
  const rest = value.slice(0, from) + value.slice(from + found.length);
  const kind = field instanceof HTMLInputElement ? HTMLInputElement : HTMLTextAreaElement;
  // React keeps the value that it set itself: its own setter would hide this change from it.
  Object.getOwnPropertyDescriptor(kind.prototype, 'value')?.set?.call(field, rest);
  field.dispatchEvent(new Event('input', { bubbles: true }));
}
