import { TicketscanError } from '../../core/errors.ts';
import type { Snapshot } from '../controls.ts';

const SNAPSHOTS_MAX = 100;

/** Ways back, by name. A name is never given twice, so that one from before a reset leads nowhere. */
export class SnapshotShelf {
  readonly #ways = new Map<string, () => void>();
  #lastNumber = 0;

  /** @throws TicketscanError `conflict` when there are too many */
  add(way: () => void): Snapshot {
    if (this.#ways.size >= SNAPSHOTS_MAX) {
      throw new TicketscanError(
        'conflict',
        `The limit of ${SNAPSHOTS_MAX} snapshots is reached; reset deletes them.`,
      );
    }
    this.#lastNumber += 1;
    const id = `snapshot-${this.#lastNumber}`;
    this.#ways.set(id, way);
    return { id };
  }

  /** @throws TicketscanError `not_found` */
  find({ id }: Snapshot): () => void {
    const way = this.#ways.get(id);
    if (way) return way;
    throw new TicketscanError(
      'not_found',
      `Unknown snapshot "${id}"; a reset deletes all snapshots.`,
    );
  }

  clear(): void {
    this.#ways.clear();
  }
}
