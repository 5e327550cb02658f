/** Gives `size` unpredictable bytes; injected, so that core itself stays deterministic. */
export type RandomBytes = (size: number) => Uint8Array;

export const BASE36 = '0123456789abcdefghijklmnopqrstuvwxyz';
export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A random text of `length` characters, each equally likely: bytes that would favour some characters are thrown away. */
export function randomText(alphabet: string, length: number, random: RandomBytes): string {
  const fairBelow = 256 - (256 % alphabet.length);
  let text = '';
  while (text.length < length) {
    for (const byte of random(length + 8)) {
      if (byte < fairBelow && text.length < length) text += alphabet[byte % alphabet.length];
    }
  }
  return text;
}

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
