import { isAccountId, type Role } from '../core/administrative-records.ts';
import type { Clock } from '../core/clock.ts';
import { TicketscanError } from '../core/errors.ts';
import { DEFAULT_LIMITS, type OrganisationLimits } from '../core/limits.ts';
import type { ApiKeyRecord, EventRecord, Organisation, ScannerRecord } from '../core/records.ts';
import type { Ticket } from '../core/ticket.ts';
import type { RandomBytes } from '../kit/random.ts';
import type { RecordFilter } from '../stores/record-store.ts';
import type { Store } from '../stores/store.ts';
import { actorOf, type Principal } from './accounts/access.ts';
import { type Actor, COMMAND_LINE } from './actor.ts';
import { Administration } from './administration.ts';

/** The parts that a scope needs. */
export interface ScopeDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: RandomBytes;
}

/** The caller: somebody with an account, or the command line on a store, for one organisation or for all. */
export type Caller =
  | { readonly principal: Principal }
  | { readonly organisation: Organisation | undefined };

/** The scope of somebody with an account. */
export type AccountScope = OrganisationScope & {
  readonly organisation: Organisation;
  readonly organisationId: string;
};

/**
 * What the caller may reach: the objects of one organisation or, on the command line, of all. Every operation reaches objects through
 * here: another organisation's object and one that does not exist are the same answer.
 */
export class OrganisationScope {
  /** The organisation of the caller; undefined for all. */
  readonly organisation: Organisation | undefined;
  /** The role of the caller; on the command line, an owner's. */
  readonly role: Role;
  readonly administration: Administration;
  readonly actor: Actor;
  readonly store: Store;
  readonly clock: Clock;

  constructor(caller: Caller, { store, clock, random }: ScopeDeps) {
    const isAccount = 'principal' in caller;
    this.organisation = isAccount ? caller.principal.organisation : caller.organisation;
    this.actor = isAccount ? actorOf(caller.principal) : COMMAND_LINE;
    this.role = isAccount ? caller.principal.role : 'owner';
    this.administration = new Administration(store, clock, random, this.actor);
    this.store = store;
    this.clock = clock;
  }

  /** The organisation; null for all of them. */
  get organisationId(): string | null {
    return this.organisation?.id ?? null;
  }

  async organisations(): Promise<Organisation[]> {
    return this.organisation ? [this.organisation] : this.store.list('organisation');
  }

  /** @throws TicketscanError `usage` where the command line means one of several, `not_found` where there is none */
  async onlyOne(): Promise<Organisation> {
    return this.organisation ?? this.administration.organisations.find(undefined);
  }

  /** The limits of the organisation of a key. */
  async limitsOf({ organisationId }: ApiKeyRecord): Promise<OrganisationLimits> {
    const owner = this.organisation ?? (await this.store.read('organisation', organisationId));
    return owner?.limits ?? DEFAULT_LIMITS;
  }

  async events(filter: Omit<RecordFilter, 'organisationId'> = {}): Promise<EventRecord[]> {
    // A place in the list of another organisation is none.
    if (filter.afterId !== undefined) await this.event(filter.afterId);
    return this.store.list('event', { ...filter, ...this.#which });
  }

  /** Returns the events with these ids that exist, in any order. Its cost depends on the ids, not on the number of events. */
  async eventsOf(ids: Iterable<string>): Promise<EventRecord[]> {
    const found = await Promise.all([...new Set(ids)].map((id) => this.store.read('event', id)));
    return found.filter((event) => event !== undefined).filter((event) => this.#owns(event));
  }

  /** @throws TicketscanError `not_found` */
  async event(id: string): Promise<EventRecord> {
    const event = await this.store.read('event', id);
    if (!event || !this.#owns(event)) throw missing('event', id);
    return event;
  }

  async keys(filter: Omit<RecordFilter, 'organisationId'> = {}): Promise<ApiKeyRecord[]> {
    if (filter.afterId !== undefined) await this.key(filter.afterId);
    return this.store.list('key', { ...filter, ...this.#which });
  }

  /** Accounts that have scanned. */
  async scanners(filter: Omit<RecordFilter, 'organisationId'> = {}): Promise<ScannerRecord[]> {
    const { afterId } = filter;
    const last = afterId === undefined ? undefined : await this.store.read('scanner', afterId);
    if (afterId !== undefined && !(last && this.#owns(last))) throw missing('account', afterId);
    return this.store.list('scanner', { ...filter, ...this.#which });
  }

  /** The name of a key or an account in the log; null for a key that was deleted. */
  async gateName(id: string): Promise<string | null> {
    const gate = await this.store.read(isAccountId(id) ? 'scanner' : 'key', id);
    return gate && this.#owns(gate) ? gate.name : null;
  }

  /** @throws TicketscanError `not_found` */
  async key(id: string): Promise<ApiKeyRecord> {
    const key = await this.store.read('key', id);
    if (!key || !this.#owns(key)) throw missing('key', id);
    return key;
  }

  /** @throws TicketscanError `not_found` */
  async keyByHash(hash: string): Promise<ApiKeyRecord> {
    const found = await this.store.findKeyByHash(hash);
    if (!found || !this.#owns(found.key)) throw missing('key', `with the hash ${hash}`);
    return found.key;
  }

  /** @throws TicketscanError `not_found` */
  async ticket(id: string): Promise<Ticket> {
    const [ticket] = await this.tickets([id]);
    if (!ticket) throw missing('ticket', id);
    return ticket;
  }

  /** Returns the tickets with these ids that exist, in the order of the store. */
  async ownTickets(ids: readonly string[]): Promise<Ticket[]> {
    const found = await this.store.findTickets(ids);
    const events = await this.eventsOf(found.map(({ eventId }) => eventId));
    const eventIds = new Set(events.map((event) => event.id));
    return found.filter(({ eventId }) => eventIds.has(eventId));
  }

  /** The tickets, in the order of the store. @throws TicketscanError `not_found` that names the first that is missing */
  async tickets(ids: readonly string[]): Promise<Ticket[]> {
    const own = await this.ownTickets(ids);
    const ownIds = new Set(own.map((ticket) => ticket.id));
    const absent = ids.find((id) => !ownIds.has(id));
    if (absent !== undefined) throw missing('ticket', absent);
    return own;
  }

  get #which(): RecordFilter {
    return this.organisation ? { organisationId: this.organisation.id } : {};
  }

  #owns({ organisationId }: { readonly organisationId: string }): boolean {
    return this.organisation === undefined || organisationId === this.organisation.id;
  }
}

function missing(what: string, id: string): TicketscanError {
  return new TicketscanError('not_found', `Unknown ${what} ${id}.`);
}
