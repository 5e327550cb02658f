import type { Logger } from 'pino';
import { hashApiKey, type IntegrationType, isWellFormedApiKey } from '../core/api-key.ts';
import type { Clock } from '../core/clock.ts';
import { messageOf, TicketscanError } from '../core/errors.ts';
import type { EdgeReason, RefusalReason } from '../core/outcome-names.ts';
import type { Occurrences, RefusalCount } from '../core/records.ts';
import type { RefusalCounts } from '../core/refusal-counts.ts';
import { addRefusals, NO_REFUSALS, OF_NO_ORGANISATION, sumOf } from '../core/refusal-counts.ts';
import { MINUTE_MS } from '../kit/durations.ts';
import { Mutex } from '../kit/mutex.ts';
import { keptDeviceText } from '../kit/text.ts';
import type { KeyOfHash, RecordStore } from '../stores/record-store.ts';

/** What a line says besides the number of requests; never a secret, and nothing long. */
export type RefusalFields = Readonly<Record<string, string | number | null>>;

interface Row {
  readonly fields: RefusalFields;
  /** How often it came since the last line about it. */
  times: number;
}

const EVERY_MS = MINUTE_MS;
/** How many rows of one text are logged in a minute; further requests are counted together. */
const ROWS_PER_KIND = 10;
const OTHERS = 'others';

/**
 * Logs refused requests without letting a flood of them fill the disk: the first of each kind at once, then one line a
 * minute with how many more came. Requests with other fields are another kind, up to a bound.
 */
export class RefusalLog {
  readonly #log: Logger;
  readonly #kinds = new Map<string, Map<string, Row>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** @param kind the text of the line, one of a few @param alike what requests of one line have in common */
  note(kind: string, fields: RefusalFields, alike: RefusalFields = fields): void {
    if (!this.#log.isLevelEnabled('warn')) return;
    const rows = this.#kinds.get(kind) ?? new Map<string, Row>();
    this.#kinds.set(kind, rows);
    const { name, shown } = nameIn(rows, fields, alike);
    const row = rows.get(name);
    if (row) {
      row.times += 1;
      return;
    }
    rows.set(name, { fields: shown, times: 0 });
    this.#log.warn(shown, kind);
    this.#timer ??= setInterval(() => this.flush(), EVERY_MS).unref();
  }

  /** Writes what was counted since the last line, and forgets what did not happen again. */
  flush(): void {
    for (const [kind, rows] of this.#kinds) {
      for (const [name, row] of rows) {
        if (row.times === 0) rows.delete(name);
        else this.#log.warn({ ...row.fields, times: row.times, seconds: EVERY_MS / 1000 }, kind);
        row.times = 0;
      }
      if (rows.size === 0) this.#kinds.delete(kind);
    }
    if (this.#kinds.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function nameIn(
  rows: ReadonlyMap<string, Row>,
  fields: RefusalFields,
  alike: RefusalFields,
): { name: string; shown: RefusalFields } {
  const name = JSON.stringify(alike);
  if (rows.has(name) || rows.size < ROWS_PER_KIND) return { name, shown: fields };
  return { name: OTHERS, shown: { others: 'more than are listed one by one' } };
}

const KINDS: Readonly<Record<number, string>> = {
  401: 'a request without a valid key, token or session was refused',
  403: 'a request that is not allowed was refused',
  429: 'a request over a limit was refused',
  503: 'a request was refused: too many are waiting',
};

/** The kind of an answer with this status; undefined for an answer that is not a refusal. */
export function refusalKind(status: number): string | undefined {
  return KINDS[status];
}

const KEY_START = /^tscn_(?:api|hw)_[0-9A-Za-z]{0,4}/;

/** A secret as a log may show it: of our keys the beginning, of anything else how long it is. */
export function describeSecret(text: string): string {
  const start = KEY_START.exec(text)?.[0];
  return start === undefined ? `${text.length} characters` : `${start}…`;
}

/** A scan or heartbeat that was refused because of its key or a limit. */
export interface RefusedRequest {
  /** The values of keys as they were sent; empty when there was none, several when it was sent more than once. */
  readonly keys: readonly string[];
  /** What keys of the endpoint are for. */
  readonly type: IntegrationType;
  /** Why, when it was not the key. */
  readonly limit: 'rate_limit' | 'monthly_quota' | 'retry_conflict' | 'bad_retry_name' | undefined;
  readonly serial: string | null;
  readonly address: string;
  readonly endpoint: string;
}

/** A connection or request that was refused before anybody looked for a key. */
export interface RefusedAtEdge {
  readonly reason: EdgeReason;
  readonly address: string;
  /** The path; empty where none is known. */
  readonly endpoint: string;
}

type CounterStore = Pick<RecordStore, 'findKeysByHash' | 'read' | 'write'>;

export interface RefusalCounterDeps {
  readonly store: CounterStore;
  readonly clock: Pick<Clock, 'now'>;
  /** Called with why the counts could not be written; they are kept and written later. */
  readonly onFailure: (why: string) => void;
}

/** Requests that are alike, until they are written. The value of a key is kept as its hash only. */
interface Pending extends Occurrences, Pick<RefusedRequest, 'type' | 'limit'> {
  readonly hash: string | undefined;
  /** The row without `times`, and with the reason for the case that no key has this hash. */
  readonly row: Omit<RefusalCount, keyof Occurrences>;
}

/** Different requests whose keys are not looked up yet. Further ones are counted together until that is done. */
const PENDING_MAX = 1000;
/** The time from the first refusal after a pause until it is written. */
const WRITE_AFTER_MS = 1000;
/** The time between two writes while refusals go on: a flood must not cost the disk more than this. */
const WRITE_EVERY_MS = 10_000;
/** Several processes on one store may write at once. */
const ATTEMPTS_MAX = 5;

/**
 * Counts refused requests and writes the counts to the store after the answers. A refusal costs no write of its own, and
 * memory and rows are bounded however many keys somebody tries.
 */
export class RefusalCounter {
  readonly #deps: RefusalCounterDeps;
  #pending = new Map<string, Pending>();
  #others: Occurrences | null = null;
  /** Counts to be written, by owner. Each has the bound of the store, so that unknown keys displace nobody else's. */
  #counted = new Map<string, RefusalCounts>();
  #timer: NodeJS.Timeout | undefined;
  readonly #writing = new Mutex();
  #nextWriteAt = 0;
  #nextRoomAt = 0;

  constructor(deps: RefusalCounterDeps) {
    this.#deps = deps;
  }

  /** Counts one request, and does not wait for anything. */
  readonly count = (refused: RefusedRequest | RefusedAtEdge): void => {
    const at = this.#deps.clock.now();
    const once = { times: 1, firstAt: at, lastAt: at };
    this.#hold(pendingOf(refused, once));
    if (this.#pending.size >= PENDING_MAX) this.#makeRoom();
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
      await this.#assignOwners();
      // Counts that cannot be written are kept for the next time.
      for (const [owner, counted] of this.#counted) {
        await this.#add(owner, counted);
        this.#counted.delete(owner);
      }
    });
  }

  /** Makes room with one read of the store, without a write. */
  #makeRoom(): void {
    if (performance.now() < this.#nextRoomAt) return;
    this.#nextRoomAt = Number.POSITIVE_INFINITY;
    void this.#inTurn(() => this.#assignOwners()).then(() => {
      const isFull = this.#pending.size >= PENDING_MAX;
      this.#nextRoomAt = isFull ? performance.now() + WRITE_AFTER_MS : 0;
    });
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    return this.#writing.run(work).catch((error) => this.#deps.onFailure(messageOf(error)));
  }

  #hold(one: Pending): void {
    const name = JSON.stringify([one.hash, one.type, one.limit, one.row]);
    const held = this.#pending.get(name);
    if (held || this.#pending.size < PENDING_MAX) {
      this.#pending.set(name, { ...one, ...sumOf(held, one) });
    } else this.#others = sumOf(this.#others, one);
  }

  /** Finds the owners of the keys, and adds the requests to their counts. Keeps them for later when the store fails. */
  async #assignOwners(): Promise<void> {
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

  async #keysOf(pending: readonly Pending[]): Promise<ReadonlyMap<string, KeyOfHash>> {
    const hashes = new Set(pending.flatMap(({ hash }) => hash ?? []));
    const found = hashes.size === 0 ? [] : await this.#deps.store.findKeysByHash([...hashes]);
    return new Map(found.map((key) => [key.hash, key]));
  }

  /** Another process may write the same record: then its counts are read again and these are added to them. */
  async #add(owner: string, added: RefusalCounts): Promise<void> {
    const { store, clock } = this.#deps;
    for (let attempt = 1; ; attempt += 1) {
      const stored = await store.read('refusals', owner);
      const counted = (stored?.value as RefusalCounts | undefined) ?? NO_REFUSALS;
      const value = addRefusals(counted, added, clock.now());
      const record = { kind: 'refusals', id: owner, value } as const;
      try {
        return await store.write({
          administrative: [{ ...record, revision: stored?.revision ?? 0 }],
          audit: [],
        });
      } catch (error) {
        const isTaken = error instanceof TicketscanError && error.code === 'conflict';
        if (!isTaken || attempt === ATTEMPTS_MAX) throw error;
      }
    }
  }
}

function pendingOf(refused: RefusedRequest | RefusedAtEdge, once: Occurrences): Pending {
  if ('reason' in refused) {
    const row = { ...refused, key: null, keyId: null, serial: null };
    return { ...once, hash: undefined, type: 'api', limit: undefined, row };
  }
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
