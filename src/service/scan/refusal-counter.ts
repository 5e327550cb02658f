import { hashApiKey, type IntegrationType, isWellFormedApiKey } from '../../core/api-key.ts';
import type { Clock } from '../../core/clock.ts';
import { messageOf, TicketscanError } from '../../core/errors.ts';
import {
  addRefusals,
  NO_REFUSALS,
  type Occurrences,
  OF_NO_ORGANISATION,
  type RefusalCount,
  type RefusalCounts,
  sumOf,
} from '../../core/refusal-counts.ts';
import type { RefusalReason } from '../../core/refusal-reasons.ts';
import { keptDeviceText } from '../../kit/utf8.ts';
import type { KeyOfHash, RecordStore } from '../stores/record-store.ts';
import { describeSecret } from './refusal-log.ts';

/** A scan or heartbeat that was refused because of its key or a limit. */
export interface RefusedRequest {
  /** As it was sent; undefined when there was none, several when it was sent more than once. */
  readonly keys: readonly string[];
  /** What keys of the endpoint are for. */
  readonly type: IntegrationType;
  /** Why, when it was not the key. */
  readonly limit: 'rate_limit' | 'monthly_quota' | undefined;
  readonly serial: string | null;
  readonly address: string;
  readonly endpoint: string;
}

type CounterStore = Pick<RecordStore, 'findKeysByHash' | 'findDocument' | 'putDocument'>;

export interface RefusalCounterDeps {
  readonly store: CounterStore;
  readonly clock: Pick<Clock, 'now'>;
  /** Called with why the counts could not be written; they are kept and written later. */
  readonly onFailure: (why: string) => void;
}

/** Of each kind of request, until it is written. The value of a key is known by its hash only. */
interface Pending extends Occurrences, Pick<RefusedRequest, 'type' | 'limit'> {
  readonly hash: string | undefined;
  /** Without `times`, and with the reason that holds when no key has this hash. */
  readonly row: Omit<RefusalCount, keyof Occurrences>;
}

/** Different requests whose keys are not looked up yet; what exceeds them while that is done is only counted. */
const PENDING_MAX = 1000;
/** From the first refusal after a pause until it is written. */
const WRITE_AFTER_MS = 1000;
/** Between two writes while refusals go on: a flood must not cost the disk more than this. */
const WRITE_EVERY_MS = 10_000;
/** Several processes on one store may write at once. */
const ATTEMPTS_MAX = 5;

/**
 * Counts refused requests and writes the counts to the store behind the answers: a refusal costs no write of its own, and
 * memory and rows are bounded however many keys somebody tries.
 */
export class RefusalCounter {
  readonly #deps: RefusalCounterDeps;
  #pending = new Map<string, Pending>();
  #others: Occurrences | null = null;
  /** What waits to be written, by owner: as bounded as the store's rows, so that unknown keys push out nobody else's. */
  #counted = new Map<string, RefusalCounts>();
  #timer: NodeJS.Timeout | undefined;
  #last: Promise<void> = Promise.resolve();
  #nextWriteAt = 0;
  #nextSortAt = 0;

  constructor(deps: RefusalCounterDeps) {
    this.#deps = deps;
  }

  /** Counts one; nothing is waited for. */
  readonly count = (refused: RefusedRequest): void => {
    const at = this.#deps.clock.now();
    const once = { times: 1, firstAt: at, lastAt: at };
    this.#hold(pendingOf(refused, once));
    if (this.#pending.size >= PENDING_MAX) this.#sortSoon();
    if (this.#timer) return;
    const waitMs = Math.max(WRITE_AFTER_MS, this.#nextWriteAt - performance.now());
    this.#timer = setTimeout(() => void this.flush(), waitMs).unref();
  };

  /** Resolves when what was counted is written, or kept for later because the store failed. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#nextWriteAt = performance.now() + WRITE_EVERY_MS;
    return this.#inTurn(async () => {
      await this.#sort();
      await this.#write();
    });
  }

  /** Makes room without a write: one question to the store. */
  #sortSoon(): void {
    if (performance.now() < this.#nextSortAt) return;
    this.#nextSortAt = Number.POSITIVE_INFINITY;
    void this.#inTurn(() => this.#sort()).then(() => {
      const isFull = this.#pending.size >= PENDING_MAX;
      this.#nextSortAt = isFull ? performance.now() + WRITE_AFTER_MS : 0;
    });
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work).catch((error) => this.#deps.onFailure(messageOf(error)));
    this.#last = done;
    return done;
  }

  #hold(one: Pending): void {
    const name = JSON.stringify([one.hash, one.type, one.limit, one.row]);
    const held = this.#pending.get(name);
    if (held || this.#pending.size < PENDING_MAX) {
      this.#pending.set(name, { ...one, ...sumOf(held, one) });
    } else this.#others = sumOf(this.#others, one);
  }

  /** Finds whose keys they were, and adds them to what waits for the owners. Keeps them for later when the store fails. */
  async #sort(): Promise<void> {
    const pending = [...this.#pending.values()];
    const others = this.#others;
    this.#pending = new Map();
    this.#others = null;
    try {
      const known = await this.#keysOf(pending);
      const byOwner = Map.groupBy(pending, ({ hash }) => ownerOf(hash, known));
      for (const [owner, ofOwner] of byOwner) {
        const rows = ofOwner.map((one) => rowOf(one, known));
        this.#keep(owner, { rows, others: null });
      }
      if (others) this.#keep(OF_NO_ORGANISATION, { rows: [], others });
    } catch (error) {
      for (const one of pending) this.#hold(one);
      if (others) this.#others = sumOf(this.#others, others);
      throw error;
    }
  }

  #keep(owner: string, added: RefusalCounts): void {
    const counted = this.#counted.get(owner) ?? NO_REFUSALS;
    this.#counted.set(owner, addRefusals(counted, added, this.#deps.clock.now()));
  }

  /** What cannot be written stays for the next time. */
  async #write(): Promise<void> {
    for (const [owner, counted] of this.#counted) {
      await this.#add(owner, counted);
      this.#counted.delete(owner);
    }
  }

  async #keysOf(pending: readonly Pending[]): Promise<ReadonlyMap<string, KeyOfHash>> {
    const hashes = new Set(pending.flatMap(({ hash }) => hash ?? []));
    const found = hashes.size === 0 ? [] : await this.#deps.store.findKeysByHash([...hashes]);
    return new Map(found.map((key) => [key.hash, key]));
  }

  /** Another process may write the same document: then its counts are read again and these are added to them. */
  async #add(owner: string, added: RefusalCounts): Promise<void> {
    const { store, clock } = this.#deps;
    for (let attempt = 1; ; attempt += 1) {
      const stored = await store.findDocument('refusals', owner);
      const counted = (stored?.value as RefusalCounts | undefined) ?? NO_REFUSALS;
      const value = addRefusals(counted, added, clock.now());
      const document = { kind: 'refusals', id: owner, value } as const;
      try {
        return await store.putDocument({ ...document, revision: stored?.revision ?? 0 }, null);
      } catch (error) {
        const isTaken = error instanceof TicketscanError && error.code === 'conflict';
        if (!isTaken || attempt === ATTEMPTS_MAX) throw error;
      }
    }
  }
}

function pendingOf(refused: RefusedRequest, once: Occurrences): Pending {
  const { keys, type, limit, serial, address, endpoint } = refused;
  const [first] = keys;
  const isWhole = keys.length === 1 && first !== undefined && isWellFormedApiKey(first);
  const row = {
    reason: limit ?? reasonWithoutKey(keys, isWhole),
    key: first === undefined ? null : describeSecret(first),
    keyId: null,
    serial: serial === null ? null : keptDeviceText(serial),
    address,
    endpoint,
  };
  return { ...once, hash: isWhole ? hashApiKey(first) : undefined, type, limit, row };
}

function reasonWithoutKey({ length }: readonly string[], isWellFormed: boolean): RefusalReason {
  if (length === 0) return 'missing_key';
  if (length > 1) return 'repeated_key';
  return isWellFormed ? 'unknown_key' : 'malformed_key';
}

function ownerOf(hash: string | undefined, known: ReadonlyMap<string, KeyOfHash>): string {
  return known.get(hash ?? '')?.organisationId ?? OF_NO_ORGANISATION;
}

function rowOf(
  { hash, type, limit, row, times, firstAt, lastAt }: Pending,
  known: ReadonlyMap<string, KeyOfHash>,
): RefusalCount {
  const counted = { ...row, times, firstAt, lastAt };
  const key = known.get(hash ?? '');
  if (!key) return counted;
  return { ...counted, keyId: key.id, reason: limit ?? reasonOf(key, type) };
}

function reasonOf(key: KeyOfHash, type: IntegrationType): RefusalReason {
  if (key.isDeleted) return 'deleted_key';
  return key.type === type ? 'disabled_key' : 'wrong_key_type';
}
