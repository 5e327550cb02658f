import type { Clock } from '../../src/core/clock.ts';

/** A clock that stands still until it is told. */
export class TestClock implements Clock {
  nowMs: number;
  #monotonicMs = 0;

  constructor(nowMs = Date.UTC(2026, 6, 1, 12)) {
    this.nowMs = nowMs;
  }

  now(): number {
    return this.nowMs;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  advance(ms: number): void {
    this.nowMs += ms;
    this.#monotonicMs += ms;
  }
}
