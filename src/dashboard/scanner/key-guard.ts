/**
 * One guard for the keys of the whole page. What a hand scanner types goes to the scan page where that is open; anywhere else its
 * Enter or Tab presses nothing, submits nothing and moves no focus, and the page says that a code was scanned.
 */
import { useEffect, useRef } from 'react';
import { KeyboardWedge, looksLikeCode, SLOW_MS_MAX } from './keyboard-wedge.ts';

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

/** When a character was typed last, on any page; a blank also presses what has the focus. */
let typedAt = Number.NEGATIVE_INFINITY;

/** Whether a character was typed just before, as by a hand scanner, however slow: its line end must not press a button. @param at of an event */
export function isTypedJustNow(at: number): boolean {
  return at - typedAt <= SLOW_MS_MAX;
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
  /** What was in the field before each of the latest keys, and in which: the keys of a code are taken back as if there were none. */
  #before: Before[] = [];
  #typedAt = Number.NEGATIVE_INFINITY;

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
    this.#noteBefore(event);
    if (!field) this.#keepFromControls(event);
    const code = this.#wedge.press(key, at);
    if (code === undefined || (field && isForField(field, code, key))) return;
    keep(event);
    this.#wedge.take(at);
    this.#takeBack([...code].length);
    this.#give(code);
  };

  #noteBefore({ key, target, timeStamp }: KeyboardEvent): void {
    if ([...key].length !== 1) return;
    if (key !== ' ') typedAt = timeStamp;
    if (timeStamp - this.#typedAt > SLOW_MS_MAX) this.#before = [];
    this.#typedAt = timeStamp;
    const element = typableOf(target);
    this.#before.push(element && { element, value: valueIn(element) });
  }

  /** Gives every field that the latest keys went into what was in it before the first of them. */
  #takeBack(keys: number): void {
    const before = this.#before.slice(-keys);
    this.#before = [];
    const restored = new Set<Typable>();
    for (const { element, value } of before.filter((one) => one !== undefined)) {
      if (!restored.has(element)) setValue(element, value);
      restored.add(element);
    }
  }

  /** A blank within a code would press the button that has the focus, and letters choose in a list that has it. */
  #keepFromControls(event: KeyboardEvent): void {
    const { key, target } = event;
    if (key.length !== 1) return;
    const isFlowing = this.#wedge.isFlowing(event.timeStamp);
    const isList = target instanceof HTMLSelectElement;
    // The first letter may be a person's, who chooses by it.
    if (!isFlowing || (key !== ' ' && !isList)) return;
    if (key === ' ') this.#isSpaceKept = true;
    keep(event);
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
const FIELDS = 'input:not([type="radio"], [type="checkbox"]), textarea, [contenteditable]';
/** Where a typed character changes something: a list chooses by it. */
const TYPABLE = `${FIELDS}, select`;

type Typable = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement | HTMLElement;
/** Undefined for a key that went to nothing that takes characters. */
type Before = { readonly element: Typable; readonly value: string } | undefined;

function typableOf(target: EventTarget | null): Typable | undefined {
  return target instanceof HTMLElement && target.matches(TYPABLE) ? target : undefined;
}

function fieldOf(target: EventTarget | null): Typable | undefined {
  const element = typableOf(target);
  return element instanceof HTMLSelectElement ? undefined : element;
}

function valueIn(element: Typable): string {
  return 'value' in element ? element.value : element.innerHTML;
}

/** Sets it as if a person did. */
function setValue(element: Typable, value: string): void {
  if (!('value' in element)) element.innerHTML = value;
  // React keeps the value that it set itself: its own setter would hide this change from it.
  else Object.getOwnPropertyDescriptor(kindOf(element), 'value')?.set?.call(element, value);
  element.dispatchEvent(new Event('input', { bubbles: true }));
  element.dispatchEvent(new Event('change', { bubbles: true }));
}

function kindOf(element: Typable): object {
  if (element instanceof HTMLSelectElement) return HTMLSelectElement.prototype;
  return element instanceof HTMLTextAreaElement
    ? HTMLTextAreaElement.prototype
    : HTMLInputElement.prototype;
}

/** Marks the field whose text is a code itself. */
export const TAKES_CODES = { 'data-takes-codes': true } as const;

/** Whether what was typed quickly into a field is meant for it: a password or a name from a machine, or a code in part by hand. */
function isForField(field: Typable, typed: string, key: string): boolean {
  if (looksLikeCode(typed)) return false;
  // The Tab of a scanner is as good as its Enter, where nothing but the code is in the field.
  return !('takesCodes' in field.dataset && key === 'Tab' && valueIn(field) === typed);
}
