import type { Time, Timer } from './time.ts';

interface Entry {
  readonly atMs: number;
  /** Actions due at the same moment run in the order in which they were asked for. */
  readonly order: number;
  action: (() => void) | undefined;
}

/**
 * Time that is stopped until a test runs it, and then jumps from one action to the next.
 * The same actions always run in the same order, so a run can be repeated byte for byte.
 */
export class VirtualTime implements Time {
  readonly #wallStartMs: number;
  readonly #heap: Entry[] = [];
  #nowMs = 0;
  #order = 0;

  /** @param wallStartMs what the wall clock shows at the start, milliseconds since 1970 UTC */
  constructor(wallStartMs: number = Date.UTC(2026, 0, 1, 9)) {
    this.#wallStartMs = wallStartMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  wallMs(): number {
    return this.#wallStartMs + Math.floor(this.#nowMs);
  }

  after(delayMs: number, action: () => void): Timer {
    const entry: Entry = {
      atMs: this.#nowMs + Math.max(0, delayMs),
      order: this.#order,
      action,
    };
    this.#order += 1;
    this.#heap.push(entry);
    this.#siftUp(this.#heap.length - 1);
    return entry;
  }

  cancel(timer: Timer | undefined): void {
    if (timer) (timer as Entry).action = undefined;
  }

  /** Runs everything due up to `untilMs`, then stops there. */
  runUntil(untilMs: number): void {
    for (let next = this.#heap[0]; next && next.atMs <= untilMs; next = this.#heap[0]) {
      this.#pop();
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.action?.();
    }
    this.#nowMs = Math.max(this.#nowMs, untilMs);
  }

  /** Runs until `done` says so or nothing is left to do; returns whether `done` was reached. */
  runWhile(done: () => boolean): boolean {
    while (!done()) {
      const next = this.#heap[0];
      if (!next) return false;
      this.#pop();
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.action?.();
    }
    return true;
  }

  #pop(): void {
    const last = this.#heap.pop();
    if (!last || this.#heap.length === 0) return;
    this.#heap[0] = last;
    this.#siftDown();
  }

  #siftUp(from: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#swapIfEarlier(at, parent)) return;
      at = parent;
    }
  }

  #siftDown(): void {
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const child = this.#earlier(left + 1, left) ? left + 1 : left;
      if (!this.#swapIfEarlier(child, at)) return;
      at = child;
    }
  }

  #swapIfEarlier(child: number, parent: number): boolean {
    if (!this.#earlier(child, parent)) return false;
    const [a, b] = [this.#heap[child], this.#heap[parent]];
    if (!a || !b) return false;
    this.#heap[child] = b;
    this.#heap[parent] = a;
    return true;
  }

  #earlier(left: number, right: number): boolean {
    const a = this.#heap[left];
    const b = this.#heap[right];
    if (!a || !b) return false;
    return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
  }
}
