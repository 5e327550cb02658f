type State = readonly [number, number, number];

const WARM_UP = 12;

/** A source of chance that gives the same numbers for the same seed, on every machine (sfc32). */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: number | State) {
    [this.#a, this.#b, this.#c] = typeof seed === 'number' ? [seed | 0, ~seed, seed >>> 16] : seed;
    for (let draw = 0; draw < WARM_UP; draw += 1) this.#word();
  }

  /** Draws a number from 0 to below 1. */
  next(): number {
    return this.#word() / 2 ** 32;
  }

  /** A whole number from `min` to `max`, both included. */
  between(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.next() * items.length)];
    if (item === undefined) throw new Error('there is nothing to pick from');
    return item;
  }

  /**
   * A generator of its own, so that what one part draws does not shift the numbers of another. Its state has 96 bits: two that
   * begin anywhere on one cycle of 32 bits soon draw the same numbers one after another.
   */
  fork(): Random {
    return new Random([this.#word(), this.#word(), this.#word()]);
  }

  #word(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }
}

export function newSeed(): number {
  return Math.floor(Math.random() * 2 ** 31);
}
