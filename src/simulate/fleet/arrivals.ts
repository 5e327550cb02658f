import type { Random } from '../../kit/random.ts';

export interface ArrivalPlan {
  /** People a second once the ramp is over. */
  readonly rate: number;
  readonly pattern: 'poisson' | 'constant';
  /** Over this time the rate rises evenly from nothing. */
  readonly rampMs: number;
  /** From then on nobody arrives; undefined for no such end. */
  readonly durationMs: number | undefined;
  /** No arrivals after this number; undefined for no end. */
  readonly count: number | undefined;
}

/**
 * When people arrive, in an open model: they come at their own times, however long those before them take.
 * Each arrival is one step on the integral of the rate, a step of 1 (constant) or of exponential length (Poisson);
 * the time is found by inverting the integral, so that the ramp is exact.
 */
export class Arrivals {
  readonly #plan: ArrivalPlan;
  readonly #random: Random;
  #expected = 0;
  #arrived = 0;

  constructor(plan: ArrivalPlan, random: Random) {
    this.#plan = plan;
    this.#random = random;
  }

  /** The time of the next arrival in milliseconds since the start, or undefined when there is none any more. */
  next(): number | undefined {
    const { pattern, durationMs, count } = this.#plan;
    if (count !== undefined && this.#arrived >= count) return undefined;
    this.#expected += pattern === 'constant' ? 1 : this.#random.exponential(1);
    this.#arrived += 1;
    const atMs = this.#whenExpected(this.#expected);
    return durationMs !== undefined && atMs >= durationMs ? undefined : atMs;
  }

  #whenExpected(expected: number): number {
    const { rate, rampMs } = this.#plan;
    const perMs = rate / 1000;
    const duringRamp = (perMs * rampMs) / 2;
    return expected < duringRamp
      ? Math.sqrt((2 * expected * rampMs) / perMs)
      : expected / perMs + rampMs / 2;
  }
}
