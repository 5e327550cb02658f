import type { Clock } from '../../src/check/time/clock.ts';

/** So many turns of the event loop are left to those who work: one that lets others in between waits for one or two. */
const TURNS = 3;
const WALL_START_MS = Date.UTC(2026, 6, 1, 12);

interface Sleeper {
  readonly at: number;
  wake(): void;
}

/**
 * Time that runs only while everybody waits, and then jumps to what is due next: seconds take milliseconds, and nothing
 * depends on the machine.
 */
export class VirtualTime implements Clock {
  #now = 0;
  readonly #watchers = new Set<(ms: number) => void>();
  /** The latest first; of those due at the same time, whoever came first is the last. */
  readonly #sleepers: Sleeper[] = [];

  // Arrow functions: a clock is handed on in parts.
  readonly now = (): number => this.#now;

  readonly wallNow = (): number => WALL_START_MS + this.#now;

  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    if (signal?.aborted) reject(signal.reason);
    else {
      const forget = this.after(ms, resolve);
      const wakeEarly = () => {
        forget();
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', wakeEarly, { once: true });
    }
    return promise;
  };

  readonly after = (ms: number, wake: () => void): (() => void) => {
    // as a timer does: what is no number is no time
    const sleeper = { at: this.#now + (ms > 0 ? ms : 0), wake };
    this.#sleepers.splice(this.#placeOf(sleeper.at), 0, sleeper);
    return () => {
      const at = this.#sleepers.indexOf(sleeper);
      if (at >= 0) this.#sleepers.splice(at, 1);
    };
  };

  /** Lets time pass in which this process does nothing: whoever sleeps is woken late. */
  standStill(ms: number): void {
    this.#now += ms;
    for (const note of this.#watchers) note(ms);
  }

  readonly watchDelays = (note: (ms: number) => void): Disposable => {
    this.#watchers.add(note);
    return { [Symbol.dispose]: () => this.#watchers.delete(note) };
  };

  /** Runs until the work is done. @throws Error when nobody who waits can ever be woken */
  async run<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const end = () => {
      isDone = true;
    };
    work.then(end, end);
    // Time begins with the first who waits for it: whatever comes before, as reading a file, does not.
    while (this.#sleepers.length === 0 && !isDone) await new Promise(setImmediate);
    for (;;) {
      for (let turns = 0; turns < TURNS && !isDone; turns += 1) await new Promise(setImmediate);
      if (isDone) return work;
      const next = this.#sleepers.pop();
      if (!next) throw new Error('somebody waits for something else than the time');
      this.#now = Math.max(this.#now, next.at);
      next.wake();
    }
  }

  /** Finds the place before all that are due earlier or at the same time. */
  #placeOf(at: number): number {
    let [from, to] = [0, this.#sleepers.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.#sleepers[middle]?.at ?? 0) > at) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
