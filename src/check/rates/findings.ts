import type { TargetLimits } from '../target.ts';
import type { Drill } from './drill.ts';
import { burstSize, refillRate } from './estimate.ts';
import type { Range } from './reading.ts';

/** Up to this share of the limit off is right; from one tenth on it shows, on a line that is fast enough. */
const TOLERANCE = 0.08;
/** A range that is wider, as a share of the limit, says too little. */
const WIDTH_MAX = 0.2;

/** How what was measured compares with what is stated. */
type Comparison = 'right' | 'less' | 'more' | 'unclear';

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

/** Compares a range with a limit. A range that reaches into right and wrong is unclear when it is wide. */
export function compare(range: Range, limit: number): Comparison {
  if (isMore(range, limit)) return 'more';
  if (isLess(range, limit)) return 'less';
  return isUnclear(range, limit) ? 'unclear' : 'right';
}

/** The range is so wide that a wrong limit may lie in it. */
export function isUnclear({ from, to }: Range, limit: number): boolean {
  return to - from > limit * WIDTH_MAX;
}

/** At some time it was certainly more. */
export function isMore({ from }: Range, limit: number): boolean {
  return from > limit * (1 + TOLERANCE);
}

/** At some time it was certainly less. */
export function isLess({ to }: Range, limit: number): boolean {
  return to < limit * (1 - TOLERANCE);
}

/** `41.8 to 42.6`. */
export function describeRange({ from, to }: Range): string {
  const [low, high] = [from, to].map((value) => Math.round(value * 10) / 10);
  if (to === Number.POSITIVE_INFINITY) return `${low} or more`;
  return from > to ? `at times ${high}, at times ${low}` : `${low} to ${high}`;
}
