import type { Clock } from '../../core/clock.ts';
import { TicketscanError } from '../../core/errors.ts';
import type { RecordStore } from '../stores/record-store.ts';
import { type LeaseRecord, webhookDocument } from './webhook-records.ts';

const ID = 'deliverer';

type LeaseStore = Pick<RecordStore, 'findDocument' | 'putDocument'>;

/**
 * Lets one process of those that share a store deliver. The holder writes its document again and again; another takes it
 * once it has not changed for a while on the other's own clock, so that clocks need not agree.
 */
export class Lease {
  readonly #store: LeaseStore;
  readonly #clock: Clock;
  readonly #holder: string;
  readonly #lastsMs: number;
  #heldUntilMs = Number.NEGATIVE_INFINITY;
  #seen: { readonly revision: number; readonly atMs: number } | undefined;

  /** @param lastsMs without a renewal; renewals come three times as often */
  constructor(store: LeaseStore, clock: Clock, holder: string, lastsMs: number) {
    this.#store = store;
    this.#clock = clock;
    this.#holder = holder;
    this.#lastsMs = lastsMs;
  }

  /** True while nobody else may have taken it. */
  get isHeld(): boolean {
    return this.#clock.monotonicMs() < this.#heldUntilMs;
  }

  /** Takes or renews it where that is possible and due. */
  async hold(): Promise<boolean> {
    const now = this.#clock.monotonicMs();
    if (this.#heldUntilMs - now > (this.#lastsMs * 2) / 3) return true;
    const found = await this.#store.findDocument('webhook-lease', ID);
    const { revision = 0, value } = found ? webhookDocument<'webhook-lease'>(found) : {};
    const holder = (value as LeaseRecord | undefined)?.holder ?? null;
    if (holder !== null && holder !== this.#holder && !this.#isOver(revision, now)) return false;
    return this.#write(revision, this.#holder, now);
  }

  /** Gives it back, so that another need not wait. */
  async release(): Promise<void> {
    if (!this.isHeld) return;
    this.#heldUntilMs = Number.NEGATIVE_INFINITY;
    const found = await this.#store.findDocument('webhook-lease', ID);
    if (found) await this.#write(found.revision, null, 0);
  }

  /** True once the document has not changed for as long as a lease lasts. */
  #isOver(revision: number, now: number): boolean {
    if (this.#seen?.revision !== revision) this.#seen = { revision, atMs: now };
    return now - this.#seen.atMs >= this.#lastsMs;
  }

  async #write(revision: number, holder: string | null, now: number): Promise<boolean> {
    const value: LeaseRecord = { holder };
    try {
      await this.#store.putDocument({ kind: 'webhook-lease', id: ID, revision, value }, null);
    } catch (error) {
      if (error instanceof TicketscanError && error.code === 'conflict') return false;
      throw error;
    }
    // From before the write: what takes long must not make it last longer than others believe.
    if (holder !== null) this.#heldUntilMs = now + this.#lastsMs;
    return holder !== null;
  }
}
