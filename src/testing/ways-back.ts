import { TicketscanError } from '../core/errors.ts';
import { rememberData } from '../service/stores/memory/remember-data.ts';
import type { Store } from '../service/stores/store.ts';

/** Puts the data back. */
type WayBack = () => void;

/** The ways back to what a store held: before the first sample, at the beginning, now. Only a store in memory has any. */
export class WaysBack {
  readonly #store: Store;
  readonly #toNothing: WayBack | undefined;
  #toBeginning: WayBack | undefined;

  constructor(store: Store) {
    this.#store = store;
    this.#toNothing = rememberData(store);
    this.#toBeginning = this.#toNothing;
  }

  /** To before the first sample. @throws TicketscanError `conflict` where there is no way */
  get toNothing(): WayBack {
    return demanded(this.#toNothing);
  }

  /** @throws TicketscanError `conflict` where there is no way */
  get toBeginning(): WayBack {
    return demanded(this.#toBeginning);
  }

  /** To the data of this moment. @throws TicketscanError `conflict` where there is no way */
  toHere(): WayBack {
    return demanded(rememberData(this.#store));
  }

  /** What the store holds now is the beginning. */
  beginHere(): void {
    this.#toBeginning = rememberData(this.#store);
  }
}

function demanded(way: WayBack | undefined): WayBack {
  if (way) return way;
  throw new TicketscanError(
    'conflict',
    'Only a store in memory can be reset, snapshot and restored: start the server with --store memory:.',
  );
}
