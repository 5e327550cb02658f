/**
 * Repeatable random numbers (the sfc32 generator). Each purpose takes a stream of its own by `label`, so that drawing
 * one number more for one purpose does not move all the others.
 */
export class Random {
  readonly #seed: string;
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  /** @param seed any text; the same text gives the same numbers */
  constructor(seed: string) {
    this.#seed = seed;
    this.#a = hashOf(seed, 0x9e3779b9);
    this.#b = hashOf(seed, 0x243f6a88);
    this.#c = hashOf(seed, 0xb7e15162);
    for (let i = 0; i < 12; i += 1) this.next();
  }

  /** An independent stream that depends on this one's seed and on `label` only. */
  stream(label: string): Random {
    return new Random(`${this.#seed}/${label}`);
  }

  /** At least 0, less than 1. */
  next(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  }

  /** A whole number, at least 0 and less than `end`. */
  integer(end: number): number {
    return Math.floor(this.next() * end);
  }

  /** The time to the next event of a Poisson process whose events are `mean` apart on average. */
  exponential(mean: number): number {
    return -Math.log(1 - this.next()) * mean;
  }

  /** One of the weighted values. Weights need not add up to 1. */
  weighted<T>(choices: readonly { readonly value: T; readonly weight: number }[]): T {
    const total = choices.reduce((sum, choice) => sum + choice.weight, 0);
    let rest = this.next() * total;
    for (const choice of choices) {
      rest -= choice.weight;
      if (rest < 0) return choice.value;
    }
    const last = choices.at(-1);
    if (!last) throw new RangeError('Nothing to choose from.');
    return last.value;
  }
}

/** FNV-1a with a mixing step at the end; not for secrets. */
function hashOf(text: string, basis: number): number {
  let hash = basis;
  for (let i = 0; i < text.length; i += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}
