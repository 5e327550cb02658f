import { Random as Stream } from '../../src/simulate/random.ts';

/** A source of chance that gives the same numbers for the same seed, on every machine. */
export class Random {
  readonly #stream: Stream;
  #forks = 0;

  constructor(seed: number | Stream) {
    this.#stream = typeof seed === 'number' ? new Stream(String(seed)) : seed;
  }

  /** At least 0, below 1. */
  next(): number {
    return this.#stream.next();
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

  /** A generator of its own, so that what one part draws does not shift the numbers of another or repeat them. */
  fork(): Random {
    this.#forks += 1;
    return new Random(this.#stream.stream(String(this.#forks)));
  }
}

export function newSeed(): number {
  return Math.floor(Math.random() * 2 ** 31);
}
