import type { Logger } from 'pino';
import type { Clock } from '../../core/clock.ts';
import type { StoredHome } from '../../core/event-home.ts';
import type { EventRecord } from '../../core/records.ts';
import type { Ticket } from '../../core/ticket.ts';
import type { Store } from '../../stores/store.ts';
import { finishDeletions } from '../events/deletions.ts';
import type { Stored } from '../typed-records.ts';
import type { CentreClient } from './centre-client.ts';
import { newestRow, type RowSender } from './row-sender.ts';
import { listSiteValues, readSiteValue } from './site-records.ts';
import { type FeedAnswer, type FeedQuestion, SITE_PATHS, TicketsAnswer } from './wire.ts';

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly client: CentreClient;
}

/** The line of this store to its centre, as it is now. */
interface Line {
  readonly incarnation: string;
  readonly rows: RowSender;
}

type Wish = FeedAnswer['wishes'][number];

/** The revisions of the homes of events when the centre was asked: an answer says nothing of what was taken since. */
export type SeenHomes = ReadonlyMap<string, number>;

/** The events of a site: it takes them with a copy of their tickets, closes them, and forgets them when they went back. */
export class HeldEvents {
  readonly #deps: Deps;
  readonly #line: () => Line;
  /** A row of the log behind which a closed event has none, by event and epoch. */
  readonly #lastRows = new Map<string, number>();

  constructor(deps: Deps, line: () => Line) {
    this.#deps = deps;
    this.#line = line;
  }

  /** What the centre is told of them. */
  async told(): Promise<{
    readonly held: FeedQuestion['held'];
    readonly seen: SeenHomes;
    readonly newest: number;
  }> {
    const { store } = this.#deps;
    const homes = await listSiteValues(store, 'event-home');
    const here = new Set((await store.list('event')).map(({ id }) => id));
    // Read after the homes: a closed event has no row behind it.
    const newest = await newestRow(store);
    const { rows } = this.#line();
    const held = homes.flatMap(({ id, value }) => {
      if (!value.held || value.held.epoch === 0) return [];
      const { epoch, isOpen } = value.held;
      const word = { event: id, epoch, isClosed: !isOpen };
      // The rows of an event that was forgotten are gone: nothing of it is still to be sent.
      if (!here.has(id)) return [{ ...word, newest: 0 }];
      const last = isOpen ? newest : this.#lastRowOf(id, value, newest);
      return [{ ...word, newest: rows.told(last) }];
    });
    const seen = new Map(homes.map(({ id, revision }) => [id, revision]));
    return { held, seen, newest };
  }

  /** Other events write on, so that the first row number that is known of a closed event is kept. @param newest read after the home */
  #lastRowOf(eventId: string, { held }: StoredHome, newest: number): number {
    if (held === undefined || held.epoch === 0) return 0;
    const name = `${eventId} ${held.epoch}`;
    const last = this.#lastRows.get(name) ?? newest;
    this.#lastRows.set(name, last);
    return last;
  }

  /** Writes the changes of tickets of events that are decided here. What is still to be copied is copied as it is then. */
  async change(tickets: readonly Ticket[]): Promise<void> {
    for (const [eventId, some] of Map.groupBy(tickets, (ticket) => ticket.eventId))
      await this.#deps.store.putSiteTickets(eventId, some);
  }

  /** Reads the tickets of an event anew, if it is decided here. */
  async readAnew({ event, epoch, kind }: Wish): Promise<void> {
    const home = await this.#homeOf(event);
    if (kind === 'take' && home?.value.held?.isOpen) await this.#copy(event, epoch, undefined);
  }

  /** Does what the centre asks. @param stored the last row that the centre has @returns what is still to come first, where that is something */
  async meet(
    { event, epoch, kind }: Wish,
    stored: number,
  ): Promise<'rows' | 'records' | undefined> {
    const { store, log } = this.#deps;
    const held = (await this.#homeOf(event))?.value.held;
    if (kind === 'keep') return;
    if (kind === 'take') return this.#take(event, epoch, stored);
    if (held !== undefined && (held.epoch > epoch || (held.epoch === epoch && !held.isOpen)))
      return;
    await store.moveHeld(event, 'close', epoch);
    log.info({ event }, 'an event goes back to the centre, and is decided here no more');
    return;
  }

  async #take(
    event: string,
    epoch: number,
    stored: number,
  ): Promise<'rows' | 'records' | undefined> {
    const { store, log } = this.#deps;
    const { held, copying } = (await this.#homeOf(event))?.value ?? {};
    if (held !== undefined && held.epoch >= epoch) return;
    if (copying !== epoch) {
      const missing = await this.#clear(event, stored);
      if (missing !== undefined) return missing;
      await store.moveHeld(event, 'copy', epoch);
    }
    const tickets = await this.#copy(event, epoch, epoch);
    await store.moveHeld(event, 'take', epoch);
    log.info({ event, tickets }, 'an event came from the centre, and is decided here from now on');
    return;
  }

  /** Removes what an earlier stay left of an event: its tickets have the uses of that stay. @returns what has to come first */
  async #clear(eventId: string, stored: number): Promise<'rows' | 'records' | undefined> {
    const { store } = this.#deps;
    const event = await store.read('event', eventId);
    if (event === undefined) return 'records';
    const home = await this.#homeOf(eventId);
    if (home?.value.held?.isOpen) await this.#closeFreed(eventId, home.value.held.epoch);
    if ((await store.listTickets({ eventId, limit: 1 })).length === 0) return undefined;
    return (await this.#forget(event, stored)) ? 'records' : 'rows';
  }

  /** Writes all tickets of an event as the centre has them. @returns how many they are */
  async #copy(event: string, epoch: number, copiedIn: number | undefined): Promise<number> {
    const { store, client } = this.#deps;
    const { incarnation } = this.#line();
    let tickets = 0;
    let after: string | null = '';
    while (after !== null) {
      const asked = new URLSearchParams({ incarnation, event, epoch: String(epoch) });
      if (after !== '') asked.set('after', after);
      const page = await client.get(`${SITE_PATHS.tickets}?${asked}`, TicketsAnswer);
      const some = page.tickets as unknown as Ticket[];
      if (some.length > 0) await store.putSiteTickets(event, some, copiedIn);
      tickets += some.length;
      after = page.next;
    }
    return tickets;
  }

  /**
   * Removes events that the centre does not have here any more, when it has every row of them.
   * @returns false while one of them is still here
   */
  async forgetEnded({ wishes, stored }: FeedAnswer, seen: SeenHomes): Promise<boolean> {
    const { store } = this.#deps;
    let isDone = true;
    const wanted = new Set(wishes.map(({ event }) => event));
    for (const event of await store.list('event')) {
      if (wanted.has(event.id)) continue;
      const home = await this.#homeOf(event.id);
      // Another process of this site has moved it since the centre was asked.
      if (home?.revision !== seen.get(event.id)) continue;
      const { held, copying } = home?.value ?? {};
      if (held?.isOpen) await this.#closeFreed(event.id, held.epoch);
      else if (copying !== undefined) await store.moveHeld(event.id, 'close', copying);
      else if (await this.#forget(event, stored)) continue;
      isDone = false;
    }
    return isDone;
  }

  /** The centre has freed it: another decides it by now. */
  async #closeFreed(event: string, epoch: number): Promise<void> {
    const { store, log } = this.#deps;
    await store.moveHeld(event, 'close', epoch);
    log.warn({ event }, 'the centre has freed an event of this site: it is decided here no more');
  }

  /** @returns false while the centre lacks rows of the event */
  async #forget(event: EventRecord, stored: number): Promise<boolean> {
    const { store, clock } = this.#deps;
    const { id, name, organisationId } = event;
    const home = (await this.#homeOf(id))?.value ?? { elsewhere: null };
    const last = this.#lastRowOf(id, home, await newestRow(store));
    if (stored < this.#line().rows.told(last)) return false;
    const entry = {
      at: clock.now(),
      organisationId,
      accountId: null,
      by: 'centre',
      act: 'event.forget',
      subject: id,
      details: { name },
    };
    const deletion = {
      what: 'event',
      id,
      name,
      timeZone: 'UTC',
      accounts: [],
      ended: entry,
    } as const;
    await store.beginDeletion(deletion, entry);
    await finishDeletions(store, clock);
    return true;
  }

  #homeOf(eventId: string): Promise<Stored<StoredHome> | undefined> {
    return readSiteValue(this.#deps.store, 'event-home', eventId);
  }
}
