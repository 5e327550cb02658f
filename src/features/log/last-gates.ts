import { setTimeout as sleep } from 'node:timers/promises';
import { isAccountId } from '../../core/administrative-records.ts';
import type { LogEntry } from '../../core/records.ts';
import type { Ticket } from '../../core/ticket.ts';
import type { RecordStore } from '../../stores/record-store.ts';
import type { LogStore } from '../../stores/store.ts';
import { findLastUseNearby } from './last-use.ts';

type GateStore = Pick<LogStore, 'searchLog'> & Pick<RecordStore, 'list'>;

/** A denial waits no longer for the name of a gate. */
const WAIT_MS_MAX = 250;
/** Look-ups at once: the store answers scans too. */
const LOOK_UPS_MAX = 4;
/** Uses that are remembered: a refused guest shows the same ticket again. */
const REMEMBERED_MAX = 1000;
const NAMES_KEPT_MS = 10_000;

/** Finds the gate where a ticket was used last, for the texts of denials. Scans that are admitted never ask. */
export class LastGates {
  readonly #store: GateStore;
  readonly #uses = new Map<string, Promise<LogEntry | undefined>>();
  #underWay = 0;
  #names: Promise<ReadonlyMap<string, string>> | undefined;
  #namesUntil = 0;

  constructor(store: GateStore) {
    this.#store = store;
  }

  /**
   * The name of the key that took the last use, with what the device calls itself; of a person who scanned, only the name of
   * the phone. Never rejects: a denial is answered without it.
   * @returns undefined when it is not known, or not found soon enough
   */
  readonly of = async (ticket: Ticket): Promise<string | undefined> => {
    const timer = new AbortController();
    const late = sleep(WAIT_MS_MAX, undefined, { signal: timer.signal, ref: false });
    try {
      return await Promise.race([this.#nameOf(ticket), late]);
    } catch {
      return undefined;
    } finally {
      late.catch(() => {});
      timer.abort();
    }
  };

  async #nameOf(ticket: Ticket): Promise<string | undefined> {
    const use = await this.#useOf(ticket);
    if (!use) return undefined;
    const { keyId, serial } = use;
    if (isAccountId(keyId)) return serial ?? undefined;
    const name = (await this.#keyNames()).get(keyId);
    if (name === undefined) return serial ?? undefined;
    return serial ? `${name} (${serial})` : name;
  }

  #useOf(ticket: Ticket): Promise<LogEntry | undefined> {
    const name = `${ticket.id} ${ticket.lastConsumedAt}`;
    const known = this.#uses.get(name);
    if (known !== undefined) return known;
    if (this.#underWay >= LOOK_UPS_MAX) return Promise.resolve(undefined);
    const use = this.#lookUp(ticket);
    this.#uses.set(name, use);
    const forget = () => this.#uses.delete(name);
    use.then((entry) => entry ?? forget(), forget);
    const [oldest] = this.#uses.keys();
    if (this.#uses.size > REMEMBERED_MAX && oldest !== undefined) this.#uses.delete(oldest);
    return use;
  }

  async #lookUp(ticket: Ticket): Promise<LogEntry | undefined> {
    this.#underWay += 1;
    try {
      return await findLastUseNearby(this.#store, ticket);
    } finally {
      this.#underWay -= 1;
    }
  }

  #keyNames(): Promise<ReadonlyMap<string, string>> {
    const known = this.#names;
    if (known !== undefined && performance.now() < this.#namesUntil) return known;
    this.#namesUntil = performance.now() + NAMES_KEPT_MS;
    const names = this.#store
      .list('key')
      .then((keys) => new Map(keys.map(({ id, name }) => [id, name])));
    names.catch(() => {
      this.#names = undefined;
    });
    this.#names = names;
    return names;
  }
}
