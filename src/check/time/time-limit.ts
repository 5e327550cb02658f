import type { Clock } from './clock.ts';

/**
 * Calls `act` after these milliseconds, and later by the time in which this process stood still: it heard nothing then, so that time is not
 * the other side's.
 * @returns what calls that off
 */
export function afterTime(ms: number, clock: Clock, act: () => void): () => void {
  let delayMs = 0;
  const watch = clock.watchDelays((late) => {
    delayMs += late;
  });
  const end = () => {
    const left = Math.min(delayMs, ms);
    delayMs = 0;
    if (left > 0) callOff = clock.after(left, end);
    else act();
  };
  let callOff = clock.after(ms, end);
  return () => {
    watch[Symbol.dispose]();
    callOff();
  };
}
