import type { TargetLimits } from '../deployment/target.ts';
import type { Drill } from './drill.ts';
import { burstSize, refillRate } from './estimate.ts';
import type { Range } from './reading.ts';

/** Up to this share of the limit off is right. */
const TOLERANCE = 0.08;
/** A result that is this far off, as a share of the limit, never passes: it fails or remains undecided. */
const WRONG = 0.1;

/** How a number of the server is held against the limit: whether it is less, or whether it is more. */
export interface Side {
  /** At some time it was certainly beyond the limit. */
  isWrong(range: Range, limit: number): boolean;
  /** A server that is a tenth off might show the same. */
  isUnclear(range: Range, limit: number): boolean;
}

export const LESS: Side = {
  isWrong: ({ to }, limit) => to < limit * (1 - TOLERANCE),
  isUnclear: ({ from }, limit) => from <= limit * (1 - WRONG),
};

export const MORE: Side = {
  isWrong: ({ from }, limit) => from > limit * (1 + TOLERANCE),
  isUnclear: ({ to }, limit) => to >= limit * (1 + WRONG),
};

export interface RateFindings {
  readonly burst: Range;
  readonly rate: Range;
}

/** What a drill says about the limits of the server. */
export function findingsOf({ burst, rounds }: Drill, limits: Required<TargetLimits>): RateFindings {
  return {
    burst: burstSize(burst, limits.rate),
    rate: refillRate([...burst, ...rounds.flat()], limits),
  };
}

/** `41.8 to 42.6`. */
export function describeRange({ from, to }: Range): string {
  const [low, high] = [from, to].map((value) => Math.round(value * 10) / 10);
  if (to === Number.POSITIVE_INFINITY) return `${low} or more`;
  return from > to ? `at times ${high}, at times ${low}` : `${low} to ${high}`;
}

/** The units of what is found. */
export const UNITS = { burst: 'requests at once', rate: 'requests a second' } as const;
