import { setTimeout as wait } from 'node:timers/promises';
import { OwnDelays } from './own-delays.ts';

/** Two clocks, and a way to let them run. Nothing else in the checker looks at the time or waits, so that a test can hold it. */
export interface Clock {
  /** Milliseconds on a clock that never runs backwards, and that nobody sets. */
  now(): number;
  /** Milliseconds since 1970 on the wall clock, which may be set at any time. */
  wallNow(): number;
  /**
   * Resolves after these milliseconds.
   * @throws the signal's reason when it is aborted before
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Does something after these milliseconds. @returns what calls that off */
  after(ms: number, act: () => void): () => void;
  /** Tells each time for how many milliseconds this process was kept from its work, until the watch is disposed of. */
  watchDelays(note: (ms: number) => void): Disposable;
}

const delays = new OwnDelays(() => performance.now());

/** The clocks of this machine. */
export const REAL_CLOCK: Clock = {
  now: () => performance.now(),
  wallNow: () => Date.now(),
  sleep: (ms, signal) => wait(ms, undefined, { signal }),
  after: (ms, act) => {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
  watchDelays: (note) => delays.watch(note),
};
