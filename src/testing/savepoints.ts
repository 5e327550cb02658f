import { TicketscanError } from '../core/errors.ts';
import type { MemoryStore, Restore } from '../stores/sqlite/memory-store.ts';
import type { Store } from '../stores/store.ts';
import type { Snapshot } from './controls.ts';

/** The ways back to what a store held: before the first sample, at the beginning, now. Only a store in memory has any. */
export class Savepoints {
  readonly #store: Store;
  readonly #toNothing: Promise<Restore | undefined>;
  #toBeginning: Promise<Restore | undefined>;

  constructor(store: Store) {
    this.#store = store;
    this.#toNothing = rememberData(store);
    this.#toBeginning = this.#toNothing;
  }

  /** The way back to before the first sample. @throws TicketscanError `conflict` where there is none */
  toNothing(): Promise<Restore> {
    return demanded(this.#toNothing);
  }

  /** @throws TicketscanError `conflict` where there is no way */
  toBeginning(): Promise<Restore> {
    return demanded(this.#toBeginning);
  }

  /** Makes a way back to the data of this moment. @throws TicketscanError `conflict` where there is none */
  toHere(): Promise<Restore> {
    return demanded(rememberData(this.#store));
  }

  /** What the store holds now is the beginning. */
  async beginHere(): Promise<void> {
    this.#toBeginning = rememberData(this.#store);
    await this.#toBeginning;
  }
}

/** Remembers the data of a store in memory. Undefined for a store on a disk: going back would contradict its files and other processes. */
export async function rememberData(store: Store): Promise<Restore | undefined> {
  // Its class would bring a module of Node that an older one lacks (ADR 0081).
  return 'remember' in store ? (store as MemoryStore).remember() : undefined;
}

async function demanded(remembered: Promise<Restore | undefined>): Promise<Restore> {
  const way = await remembered;
  if (way) return way;
  throw new TicketscanError(
    'conflict',
    'Reset, snapshot and restore need a store in memory: start the server with --store memory:.',
  );
}

const SNAPSHOTS_MAX = 100;

/** Ways back, by name. A name is never given twice, so that one from before a reset leads nowhere. */
export class Snapshots {
  readonly #ways = new Map<string, Restore>();
  #lastNumber = 0;

  /** @throws TicketscanError `conflict` when there are too many */
  add(way: Restore): Snapshot {
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
  find({ id }: Snapshot): Restore {
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
