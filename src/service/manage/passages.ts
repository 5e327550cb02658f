import { randomBytes } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import { TicketscanError } from '../../core/errors.ts';
import type { LogEntry } from '../../core/records.ts';
import type { LogStore } from '../stores/log-store.ts';
import type { RecordStore } from '../stores/record-store.ts';
import { newestSequence } from './log-reader.ts';
import { TicketAdministration } from './ticket-administration.ts';

type PassageStore = RecordStore & Pick<LogStore, 'searchLog'>;

/** A later report belongs to another passage. */
const TURN_BACK_WITHIN_MS = 30_000;
const ENTRIES_MAX = 50;
const SEARCH_MAX = 10_000;
/** The number of devices whose turns are remembered, at some hundred bytes each. */
const TURNS_MAX = 10_000;
const REASON = 'the device reported that nobody passed';

/**
 * What devices report of the passages that they were granted (ADR 0112). A report names no grant. It is about the newest grant
 * of the same key and serial that is at most 30 seconds old and not in the future. A use is given back when nobody passed, so
 * a grant whose turn was reported is settled.
 */
export class Passages {
  readonly #store: PassageStore;
  readonly #clock: Pick<Clock, 'now'>;
  /** The newest number of the log when a device last reported a turn: grants up to there are settled. The oldest report first. */
  readonly #turns = new Map<string, number>();
  readonly #turnsMax: number;
  /** Turns up to this number of the log may be forgotten: no use before it is given back. */
  #forgottenUpTo: number;

  /** @param forgottenUpTo the newest number of the log whose turns this process may not know */
  constructor(
    store: PassageStore,
    clock: Pick<Clock, 'now'>,
    { forgottenUpTo = 0, turnsMax = TURNS_MAX } = {},
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#forgottenUpTo = forgottenUpTo;
    this.#turnsMax = turnsMax;
  }

  /** For a store that was in use before: reported turns are not stored, so that its last grants may be settled. */
  static async resumed(store: PassageStore, clock: Pick<Clock, 'now'>): Promise<Passages> {
    return new Passages(store, clock, { forgottenUpTo: await newestSequence(store) });
  }

  /** Somebody passed: from now on no report takes the use of that grant back. */
  async turned(keyId: string, serial: string): Promise<void> {
    const name = nameOf(keyId, serial);
    const upTo = await newestSequence(this.#store);
    this.#turns.delete(name);
    this.#turns.set(name, upTo);
    const [oldest] = this.#turns;
    if (this.#turns.size <= this.#turnsMax || !oldest) return;
    this.#turns.delete(oldest[0]);
    this.#forgottenUpTo = Math.max(this.#forgottenUpTo, oldest[1]);
  }

  /**
   * Nobody passed: takes back the use of the device's newest grant, once; resolves when that is durable. When that grant took no use,
   * none is given back.
   */
  async turnedBack(keyId: string, serial: string): Promise<void> {
    const { entries } = await this.#store.searchLog({
      keyId,
      serial,
      fromAt: this.#clock.now() - TURN_BACK_WITHIN_MS,
      limit: ENTRIES_MAX,
      searchMax: SEARCH_MAX,
    });
    const newest = entries.find(isGrant);
    if (newest?.status !== 'consumed' || newest.undoneBy !== undefined) return;
    // A repeated answer may have let somebody else try. A clock that was set back does not tell how old a grant is.
    if (newest.replayed || newest.at > this.#clock.now()) return;
    const settled = this.#turns.get(nameOf(keyId, serial)) ?? 0;
    if (newest.sequence <= Math.max(settled, this.#forgottenUpTo)) return;
    const actor = { accountId: null, by: `device ${serial}` };
    const tickets = new TicketAdministration(this.#store, this.#clock, randomBytes, actor);
    await tickets.undo(null, newest.sequence, REASON).catch((error: unknown) => {
      // Another report, or a person, was faster.
      if (!(error instanceof TicketscanError && error.code === 'conflict')) throw error;
    });
  }
}

const nameOf = (keyId: string, serial: string) => `${keyId} ${serial}`;

function isGrant({ status }: LogEntry): boolean {
  return status === 'consumed' || status === 'validated';
}
