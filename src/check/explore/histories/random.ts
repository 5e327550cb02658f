import { seededRandom } from '../../../kit/random.ts';

/** Numbers that look random and are the same for the same seed. */
export class Random {
  /** At least 0, below 1. */
  readonly next: () => number;

  /** @param seed a whole number; only its lower 32 bits count */
  constructor(seed: number) {
    this.next = seededRandom(seed);
  }

  /** A whole number from `from` to `to`, both included. */
  between(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** @throws RangeError for an empty list */
  pick<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.next() * items.length)];
    if (item === undefined) throw new RangeError('nothing to pick from');
    return item;
  }

  /** Picks by weight; entries of weight 0 are never picked. @throws RangeError when all are 0 */
  weighted<Item>(entries: readonly (readonly [Item, number])[]): Item {
    const total = entries.reduce((sum, [, weight]) => sum + weight, 0);
    let left = this.next() * total;
    for (const [item, weight] of entries) {
      left -= weight;
      if (left < 0) return item;
    }
    throw new RangeError('nothing to pick from');
  }
}
