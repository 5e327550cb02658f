import { isAccountId, type Role } from '../core/administrative-records.ts';
import type { Clock } from '../core/clock.ts';
import { TicketscanError } from '../core/errors.ts';
import { DEFAULT_LIMITS, type OrganisationLimits } from '../core/limits.ts';
import type { ApiKeyRecord, EventRecord, Organisation, ScannerRecord } from '../core/records.ts';
import type { Ticket } from '../core/ticket.ts';
import { actorOf, type Principal } from '../features/accounts/access.ts';
import { type Actor, COMMAND_LINE } from '../features/actor.ts';
import { Administration } from '../features/keys/administration.ts';
import type { RandomBytes } from '../kit/random.ts';
import type { Store } from '../stores/store.ts';

/** What a scope works on. */
export interface ScopeDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: RandomBytes;
}

/** Who asks: somebody with an account, or the command line on a store, for one organisation or for all. */
export type Caller =
  | { readonly principal: Principal }
  | { readonly organisation: Organisation | undefined };

/**
 * What the caller may reach: the objects of one organisation or, on the command line, of all. Every operation reaches objects through
 * here: another organisation's object and one that does not exist are the same answer.
 */
export class OrganisationScope {
  /** Undefined for all organisations. */
  readonly organisation: Organisation | undefined;
  /** Of an owner on the command line. */
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

  /** Null for all organisations. */
  get organisationId(): string | null {
    return this.organisation?.id ?? null;
  }

  async organisations(): Promise<Organisation[]> {
    return this.organisation ? [this.organisation] : this.store.list('organisation');
  }

  /** @throws TicketscanError `usage` where the command line means one of several, `not_found` where there is none */
  async onlyOne(): Promise<Organisation> {
    return this.organisation ?? this.administration.findOrganisation(undefined);
  }

  /** Of the organisation of a key. */
  async limitsOf({ organisationId }: ApiKeyRecord): Promise<OrganisationLimits> {
    const owner = (await this.organisations()).find(({ id }) => id === organisationId);
    return owner?.limits ?? DEFAULT_LIMITS;
  }

  async events(): Promise<EventRecord[]> {
    return (await this.store.list('event')).filter((event) => this.#owns(event));
  }

  /** @throws TicketscanError `not_found` */
  async event(id: string): Promise<EventRecord> {
    const event = (await this.events()).find((one) => one.id === id);
    if (!event) throw missing('event', id);
    return event;
  }

  async keys(): Promise<ApiKeyRecord[]> {
    return (await this.store.list('key')).filter((key) => this.#owns(key));
  }

  /** Accounts that have scanned. */
  async scanners(): Promise<ScannerRecord[]> {
    return (await this.store.list('scanner')).filter((scanner) => this.#owns(scanner));
  }

  /** The name of a key or an account in the log; null for a key that was deleted. */
  async gateName(id: string): Promise<string | null> {
    const gates = isAccountId(id) ? await this.scanners() : await this.keys();
    return gates.find((one) => one.id === id)?.name ?? null;
  }

  /** @throws TicketscanError `not_found` */
  async key(id: string): Promise<ApiKeyRecord> {
    const key = (await this.keys()).find((one) => one.id === id);
    if (!key) throw missing('key', id);
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

  /** Those of the ids that there are, in the order of the store. */
  async ownTickets(ids: readonly string[]): Promise<Ticket[]> {
    const [found, events] = await Promise.all([this.store.findTickets(ids), this.events()]);
    const eventIds = new Set(events.map((event) => event.id));
    return found.filter(({ eventId }) => eventIds.has(eventId));
  }

  /** In the order of the store. @throws TicketscanError `not_found` that names the first that is missing */
  async tickets(ids: readonly string[]): Promise<Ticket[]> {
    const own = await this.ownTickets(ids);
    const ownIds = new Set(own.map((ticket) => ticket.id));
    const absent = ids.find((id) => !ownIds.has(id));
    if (absent !== undefined) throw missing('ticket', absent);
    return own;
  }

  #owns({ organisationId }: { readonly organisationId: string }): boolean {
    return this.organisation === undefined || organisationId === this.organisation.id;
  }
}

function missing(what: string, id: string): TicketscanError {
  return new TicketscanError('not_found', `Unknown ${what} ${id}.`);
}
