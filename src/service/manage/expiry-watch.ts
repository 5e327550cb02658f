import { type Clock, isoTime } from '../../core/clock.ts';
import { expiresSoon } from '../../core/key-terms.ts';
import type { ApiKeyRecord } from '../../core/records.ts';
import type { RecordStore } from '../stores/store.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** The active keys whose expiry is near. */
async function keysExpiringSoon(
  store: Pick<RecordStore, 'listKeys'>,
  now: number,
): Promise<ApiKeyRecord[]> {
  return (await store.listKeys()).filter((key) => expiresSoon(key, now));
}

/** Tells once a day of each key whose expiry is near. */
export class ExpiryWatch {
  readonly #store: Pick<RecordStore, 'listKeys'>;
  readonly #clock: Clock;
  readonly #warn: (facts: object, message: string) => void;
  readonly #told = new Map<string, number>();

  constructor(
    store: Pick<RecordStore, 'listKeys'>,
    clock: Clock,
    warn: (facts: object, message: string) => void,
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#warn = warn;
  }

  /** To be called every minute or so. */
  async look(): Promise<void> {
    const now = this.#clock.now();
    const day = Math.floor(now / DAY_MS);
    const expiring = await keysExpiringSoon(this.#store, now);
    for (const id of this.#told.keys()) {
      if (!expiring.some((key) => key.id === id)) this.#told.delete(id);
    }
    for (const { id, expiresAt } of expiring) {
      if (this.#told.get(id) === day) continue;
      this.#told.set(id, day);
      const facts = { key: id, expiresAt: isoTime(expiresAt ?? null) };
      this.#warn(facts, 'a key expires soon; its requests are then refused');
    }
  }
}
