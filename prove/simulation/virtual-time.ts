import type { Clock } from '../../src/core/clock.ts';

/** How often the service looks at the network before it commits a batch (`CommitQueue`), and a little more. */
const TURNS = 4;

/** Time that passes only from one planned event to the next, and a wall clock that somebody can set. */
export class VirtualTime implements Clock {
  #nowMs = 0;
  #wallOffsetMs = Date.UTC(2026, 5, 15);
  /** By their millisecond, each in the order in which it was planned. */
  readonly #planned = new Map<number, (() => void)[]>();

  now(): number {
    return this.#nowMs + this.#wallOffsetMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  stepWallClock(ms: number): void {
    this.#wallOffsetMs += ms;
  }

  /** @param delayMs in whole milliseconds */
  sleep(delayMs: number): Promise<void> {
    const at = this.#nowMs + delayMs;
    const due = this.#planned.get(at) ?? [];
    this.#planned.set(at, due);
    return new Promise((resolve) => due.push(resolve));
  }

  /** Runs until nothing is planned any more. */
  async runToEnd(): Promise<void> {
    await settled();
    for (; this.#planned.size > 0; this.#nowMs += 1) {
      for (let due = this.#planned.get(this.#nowMs); due; due = this.#planned.get(this.#nowMs)) {
        this.#planned.delete(this.#nowMs);
        for (const resolve of due) resolve();
        await settled();
      }
    }
  }
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await new Promise(setImmediate);
}
