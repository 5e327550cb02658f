import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { isAccountId } from '../../core/administrative-records.ts';
import { type LogEntry, Time } from '../../core/records.ts';
import type { Ticket } from '../../core/ticket.ts';
import type { RecordStore } from '../../stores/record-store.ts';
import type { LogStore } from '../../stores/store.ts';
import type { OrganisationScope } from '../scope.ts';
import { firstAfter, lastBefore, readLogPage } from './log-reader.ts';

/** Entries on both sides of where the use belongs by its time: batches and instances write a little out of order. */
const NEARBY_ENTRIES = 1000;
/** Repeated answers of a use may have its time. */
const USES_AT_ONCE_MAX = 20;

type UsedTicket = Pick<Ticket, 'id' | 'lastConsumedAt'>;
type LogSearcher = Pick<LogStore, 'searchLog'>;

/** False when every use was taken back: the ticket keeps the time of the last one. */
export function wasUsed<Used extends Ticket>(
  ticket: Used,
): ticket is Used & { readonly lastConsumedAt: number } {
  return ticket.usesConsumed > 0 && ticket.lastConsumedAt !== null;
}

/**
 * The log entry of a ticket's last use, found by the time that the ticket keeps.
 * @returns undefined when the log does not hold it: it was pruned, or came with an import
 */
export async function findLastUse(
  store: LogSearcher,
  ticket: UsedTicket,
): Promise<LogEntry | undefined> {
  const nearby = await findLastUseNearby(store, ticket);
  if (nearby || ticket.lastConsumedAt === null) return nearby;
  const conditions = conditionsFor(ticket);
  let page = await readLogPage(store, conditions, USES_AT_ONCE_MAX);
  // One search does not look at all entries around a time of rush.
  while (!page.entries.some(isUse) && !page.ended) {
    const place = { beforeSequence: page.searchedTo };
    page = await readLogPage(store, { ...conditions, ...place }, USES_AT_ONCE_MAX);
  }
  return page.entries.find(isUse);
}

/**
 * Finds what `findLastUse` does, in some 30 short questions to the store however long the log is. It misses a use that was written while the
 * clock was wrong.
 */
export async function findLastUseNearby(
  store: LogSearcher,
  ticket: UsedTicket,
): Promise<LogEntry | undefined> {
  if (ticket.lastConsumedAt === null) return undefined;
  const before = await lastBefore(store, ticket.lastConsumedAt);
  const position = (await firstAfter(store, before))?.sequence ?? before;
  const { entries } = await store.searchLog({
    ...conditionsFor(ticket),
    beforeSequence: position + NEARBY_ENTRIES,
    limit: USES_AT_ONCE_MAX,
    searchMax: 2 * NEARBY_ENTRIES,
  });
  return entries.find(isUse);
}

function conditionsFor({ id, lastConsumedAt }: UsedTicket) {
  const at = lastConsumedAt ?? 0;
  return { ticketId: id, outcome: 'admitted', fromAt: at, untilAt: at };
}

/** A use that was taken back does not count, although the ticket keeps its time. */
function isUse({ replayed, undoneBy }: LogEntry): boolean {
  return !replayed && undoneBy === undefined;
}

/** When and where a ticket was last used; the gate is null when the log does not have the use any more. */
export const LastUse = z.object({ at: Time, gate: z.string().nullable() });

/** A guest who is refused asks for it. @returns null for a ticket that was never used */
export async function lastUseOf(
  ticket: Ticket,
  scope: OrganisationScope,
): Promise<z.output<typeof LastUse> | null> {
  if (!wasUsed(ticket)) return null;
  const entry = await findLastUse(scope.store, ticket);
  const gate = entry ? (entry.serial ?? (await scope.gateName(entry.keyId))) : null;
  return { at: ticket.lastConsumedAt, gate };
}

type GateStore = Pick<LogStore, 'searchLog'> & Pick<RecordStore, 'read'>;

interface KnownName {
  readonly name: Promise<string | undefined>;
  readonly until: number;
}

/** A denial waits no longer for the name of a gate. */
const WAIT_MS_MAX = 250;
/** Look-ups at once: the store answers scans too. */
const LOOK_UPS_MAX = 4;
/** Uses that are remembered: a refused guest shows the same ticket again. */
const REMEMBERED_MAX = 1000;
const NAMES_KEPT_MS = 10_000;

/** Finds the gate where a ticket was used last, for the texts of denials. Scans that are admitted never ask, and pay for no index. */
export class LastGates {
  readonly #store: GateStore;
  readonly #waitMs: number;
  readonly #uses = new Map<string, Promise<LogEntry | undefined>>();
  #underWay = 0;
  /** Keeps each key that was asked for: other organisations have any number of them. */
  readonly #names = new Map<string, KnownName>();

  /** @param waitMs how long a denial waits for the name of a gate */
  constructor(store: GateStore, waitMs = WAIT_MS_MAX) {
    this.#store = store;
    this.#waitMs = waitMs;
  }

  /**
   * The name of the key that took the last use, with what the device calls itself; of a person who scanned, only the name of
   * the phone. Never rejects: a denial is answered without it.
   * @returns undefined when it is not known, or not found soon enough
   */
  readonly of = async (ticket: Ticket): Promise<string | undefined> => {
    const timer = new AbortController();
    const late = sleep(this.#waitMs, undefined, { signal: timer.signal, ref: false });
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
    const name = await this.#keyName(keyId);
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

  #keyName(keyId: string): Promise<string | undefined> {
    const known = this.#names.get(keyId);
    if (known !== undefined && performance.now() < known.until) return known.name;
    const name = this.#store.read('key', keyId).then((key) => key?.name);
    this.#names.delete(keyId);
    this.#names.set(keyId, { name, until: performance.now() + NAMES_KEPT_MS });
    name.catch(() => this.#names.delete(keyId));
    const [oldest] = this.#names.keys();
    if (this.#names.size > REMEMBERED_MAX && oldest !== undefined) this.#names.delete(oldest);
    return name;
  }
}
