import type { Clock } from '../../src/core/clock.ts';

interface Planned {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

/** As often as the service looks at the network before it commits a batch (`CommitQueue`), and a little more. */
const TURNS = 4;

/** Time that passes only from one planned event to the next, and a wall clock that somebody can set. */
export class VirtualTime implements Clock {
  #nowMs = 0;
  #wallOffsetMs = Date.UTC(2026, 5, 15);
  #planned: Planned[] = [];
  #order = 0;

  now(): number {
    return this.#nowMs + this.#wallOffsetMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  stepWallClock(ms: number): void {
    this.#wallOffsetMs += ms;
  }

  /** Plans `run` for `delayMs` from now, in whole milliseconds. */
  after(delayMs: number, run: () => void): void {
    this.#order += 1;
    const planned = { at: this.#nowMs + Math.max(0, Math.round(delayMs)), order: this.#order, run };
    this.#planned.push(planned);
    siftUp(this.#planned);
  }

  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.after(delayMs, resolve));
  }

  /** Runs until nothing is planned any more. */
  async runToEnd(): Promise<void> {
    for (let next = this.#planned[0]; next; next = this.#planned[0]) {
      this.#nowMs = next.at;
      for (let due = this.#planned[0]; due && due.at <= this.#nowMs; due = this.#planned[0]) {
        takeFirst(this.#planned);
        due.run();
      }
      for (let turn = 0; turn < TURNS; turn += 1) await new Promise(setImmediate);
    }
  }
}

function isEarlier(a: Planned, b: Planned): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

function siftUp(heap: Planned[]): void {
  for (let index = heap.length - 1; index > 0; ) {
    const parent = (index - 1) >> 1;
    const [child, above] = [heap[index] as Planned, heap[parent] as Planned];
    if (!isEarlier(child, above)) return;
    [heap[index], heap[parent]] = [above, child];
    index = parent;
  }
}

function takeFirst(heap: Planned[]): void {
  const last = heap.pop();
  if (!last || heap.length === 0) return;
  heap[0] = last;
  for (let index = 0; ; ) {
    let first = index;
    for (const child of [2 * index + 1, 2 * index + 2]) {
      const candidate = heap[child];
      if (candidate && isEarlier(candidate, heap[first] as Planned)) first = child;
    }
    if (first === index) return;
    [heap[index], heap[first]] = [heap[first] as Planned, heap[index] as Planned];
    index = first;
  }
}
