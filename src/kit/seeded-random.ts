/** Numbers from 0 up to 1 that depend on the seed alone (mulberry32). @param seed its lower 32 bits count */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A log-normal value: half are below the median, and `sigma` says how long the tail is. */
export function logNormal(medianMs: number, sigma: number, random: () => number): number {
  const radius = Math.sqrt(-2 * Math.log(1 - random()));
  return medianMs * Math.exp(sigma * radius * Math.cos(2 * Math.PI * random()));
}
