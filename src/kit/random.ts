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

/** Repeatable random numbers: the same seed gives the same. */
export class Random {
  /** Draws a number from 0 to below 1. */
  readonly next: () => number;
  readonly #seed: string | number;

  /** @param seed any text, or a number of which the lower 32 bits count */
  constructor(seed: string | number) {
    this.#seed = seed;
    this.next = seededRandom(typeof seed === 'number' ? seed : hashOf(seed));
  }

  /** Depends on the seed and on `label` only: one number more for one purpose does not move all the others. */
  stream(label: string): Random {
    return new Random(`${this.#seed}/${label}`);
  }

  /** A whole number from `from` to `to`, both included. */
  between(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** The time to the next event of a Poisson process whose events are `mean` apart on average. */
  exponential(mean: number): number {
    return -Math.log(1 - this.next()) * mean;
  }

  /** @throws RangeError for an empty list */
  pick<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.next() * items.length)];
    if (item === undefined) throw new RangeError('nothing to pick from');
    return item;
  }

  /** Picks by weight; entries of weight 0 are never picked. @throws RangeError when all are 0 */
  weighted<Item>(entries: readonly (readonly [Item, number])[]): Item {
    const possible = entries.filter(([, weight]) => weight > 0);
    let left = this.next() * possible.reduce((sum, [, weight]) => sum + weight, 0);
    const picked = possible.find(([, weight]) => {
      left -= weight;
      return left < 0;
    });
    const [item] = picked ?? possible.at(-1) ?? [];
    if (item === undefined) throw new RangeError('nothing to pick from');
    return item;
  }
}

/** FNV-1a with a mixing step at the end; not for secrets. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}
