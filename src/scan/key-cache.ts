import { hashApiKey, type IntegrationType, isWellFormedApiKey } from '../core/api-key.ts';
import type { Clock } from '../core/clock.ts';
import { keyHolds } from '../core/key-terms.ts';
import { isSameRate, type RateLimit, TokenBucket } from '../core/limits.ts';
import type { DoorSettings } from '../core/records.ts';
import type { KeyLookup, RecordStore } from '../stores/record-store.ts';

/** A key that was good when it was read. Whether it still is, the store says within the transaction of the scan. */
export interface KeyAccess {
  readonly id: string;
  readonly type: IntegrationType;
  readonly door: DoorSettings;
  /** The time zone of the key's organisation; missing where none was set. */
  readonly timeZone?: string | undefined;
  readonly bucket: TokenBucket;
  /** Which value it came with: how often the key had been rotated when that was made. */
  readonly rotation: number;
  /** The end of this value, milliseconds since 1970 UTC; infinite for ever. */
  readonly until: number;
  /** The device file that is asked first. */
  readonly device?: string | undefined;
}

/**
 * Remembers keys by their value until the store's revision moves on. Refused keys are not remembered. A map finds a value
 * by a hash with a random seed of the process, so that the time does not show how much of a guess was right.
 */
export class KeyCache {
  readonly #store: Pick<RecordStore, 'findKeyByHash'>;
  readonly #clock: Clock;
  readonly #keys = new Map<string, KeyAccess>();
  /** Outlive the keys' entries: changing a key's name must not fill its bucket. */
  readonly #buckets = new Map<string, TokenBucket>();
  #revision = 0;

  constructor(store: Pick<RecordStore, 'findKeyByHash'>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** The active key of `type` with this value; undefined for every other value, for whatever reason. */
  find(
    value: string,
    type: IntegrationType,
  ): KeyAccess | undefined | Promise<KeyAccess | undefined> {
    const known = this.#remembered(value);
    if (known) return known.type === type ? known : undefined;
    return isWellFormedApiKey(value) ? this.#lookUp(value, type) : undefined;
  }

  /** The same, of the keys that need no look-up. */
  known(value: string, type: IntegrationType): KeyAccess | undefined {
    const known = this.#remembered(value);
    return known?.type === type ? known : undefined;
  }

  #remembered(value: string): KeyAccess | undefined {
    const known = this.#keys.get(value);
    return known && !isOver(known, this.#clock.now()) ? known : undefined;
  }

  /** Forgets everything when another revision is seen. */
  onRevision(revision: number): void {
    if (revision === this.#revision) return;
    this.#keys.clear();
    this.#revision = revision;
  }

  /** The key's bucket; a new and full one where it had other limits. */
  bucketOf(keyId: string, rate: RateLimit): TokenBucket {
    const kept = this.#buckets.get(keyId);
    if (kept && isSameRate(kept.rate, rate)) return kept;
    const bucket = new TokenBucket(rate, this.#clock.monotonicMs());
    this.#buckets.set(keyId, bucket);
    return bucket;
  }

  async #lookUp(value: string, type: IntegrationType): Promise<KeyAccess | undefined> {
    const found = await this.#store.findKeyByHash(hashApiKey(value));
    if (!found) return undefined;
    const rotation = (found.key.rotations ?? 0) - (found.isPrevious ? 1 : 0);
    if (!keyHolds(found.key, { rotation }, this.#clock.now())) return undefined;
    const access = this.#accessOf(found, rotation);
    if (found.revision >= this.#revision) {
      this.onRevision(found.revision);
      this.#keys.set(value, access);
    }
    return access.type === type ? access : undefined;
  }

  #accessOf({ key, limits, timeZone, isPrevious }: KeyLookup, rotation: number): KeyAccess {
    const { id, type, expiresAt, previousUntil, device } = key;
    const ends = [expiresAt, isPrevious ? previousUntil : undefined];
    const until = Math.min(...ends.filter((end) => end !== undefined));
    const bucket = this.bucketOf(id, limits);
    // The whole record: a setting that a gate needs cannot be forgotten here.
    return { id, type, door: key, timeZone, bucket, rotation, until, device };
  }
}

function isOver({ until }: KeyAccess, now: number): boolean {
  return now >= until;
}
