import { useEffect, useRef } from 'react';
import { KeyboardWedge } from './keyboard-wedge.ts';

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
