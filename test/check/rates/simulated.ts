import type { ReadingOutcome } from '../../../src/check/rates/reading.ts';
import type { VirtualTime } from '../../support/virtual-time.ts';

/** Whether a server takes a request that reaches it at that time, in milliseconds. */
export type Limiter = (now: number) => boolean;

/** The bucket of section 8, or one with other numbers. */
export function tokenBucket({ rate = 50, burst = 100, costOfRefusal = 0 } = {}): Limiter {
  let tokens = burst;
  let filledAt = 0;
  return (now) => {
    tokens = Math.min(burst, tokens + ((now - filledAt) * rate) / 1000);
    filledAt = now;
    const passes = tokens >= 1;
    tokens -= passes ? 1 : costOfRefusal;
    return passes;
  };
}

/** The same limit told in arrival times: "generic cell rate algorithm". */
export function cellRate({ rate = 50, burst = 100 } = {}): Limiter {
  const step = 1000 / rate;
  let expected = 0;
  return (now) => {
    const next = Math.max(now, expected) + step;
    if (next - now > step * burst + 1e-9) return false;
    expected = next;
    return true;
  };
}

/** As a bucket that is filled only when its clock moves, each 10 ms. */
export function coarseBucket(): Limiter {
  const bucket = tokenBucket();
  return (now) => bucket(Math.floor(now / 10) * 10);
}

/** So many in each window, however they come. */
export function fixedWindow(ms: number, count: number): Limiter {
  let window = -1;
  let served = 0;
  return (now) => {
    const current = Math.floor(now / ms);
    if (current !== window) served = 0;
    window = current;
    served += 1;
    return served <= count;
  };
}

/** A bucket that is full again as soon as nothing came for so long. */
export function refillsWhole(afterMs: number): Limiter {
  let bucket = tokenBucket();
  let last = 0;
  return (now) => {
    if (now - last >= afterMs) {
      bucket = tokenBucket();
      bucket(now);
    }
    last = now;
    return bucket(now);
  };
}

/** Sends to a limiter over a line that takes its time. */
export function over(
  time: VirtualTime,
  limiter: Limiter,
  delay: { there: () => number; back: () => number },
): () => Promise<ReadingOutcome> {
  return async () => {
    await time.sleep(delay.there());
    const outcome = limiter(time.now()) ? 'served' : 'limited';
    await time.sleep(delay.back());
    return outcome;
  };
}
