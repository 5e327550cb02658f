import type { Clock } from './clock.ts';

/**
 * Calls `act` when somebody else has had so many milliseconds: the time in which this process stood still does not count, since it
 * heard nothing then.
 * @returns what calls that off
 */
export function afterTime(ms: number, clock: Clock, act: () => void): () => void {
  const calledOff = new AbortController();
  let delayMs = 0;
  const watch = clock.watchDelays((late) => {
    delayMs += late;
  });
  const wait = async () => {
    for (let left = ms; left > 0; ) {
      await clock.sleep(left, calledOff.signal);
      left = Math.min(delayMs, ms);
      delayMs = 0;
    }
    act();
  };
  wait().catch(() => undefined);
  return () => {
    watch[Symbol.dispose]();
    calledOff.abort(CALLED_OFF);
  };
}

/** One for all: a new one for each request would cost more than its request. */
const CALLED_OFF = new Error('called off');
