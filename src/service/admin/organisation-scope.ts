import type { FastifyRequest } from 'fastify';
import { isAccountId } from '../../core/administrative-records.ts';
import type { Clock } from '../../core/clock.ts';
import { TicketscanError } from '../../core/errors.ts';
import type { ApiKeyRecord, EventRecord, ScannerRecord } from '../../core/records.ts';
import type { Ticket } from '../../core/ticket.ts';
import { actorOf, type Principal } from '../manage/accounts/access.ts';
import type { Actor } from '../manage/actor.ts';
import { Administration } from '../manage/administration.ts';
import type { Store } from '../stores/store.ts';
import type { AdminContext } from './admin-app.ts';
import { principalOfRequest } from './security/guard.ts';

/**
 * What the caller's organisation owns. Every route reaches objects through here: another organisation's object
 * and one that does not exist are the same answer.
 */
export class OrganisationScope {
  readonly principal: Principal;
  readonly organisationId: string;
  readonly administration: Administration;
  readonly actor: Actor;
  readonly store: Store;
  readonly clock: Clock;

  constructor(request: FastifyRequest, { store, clock, random }: AdminContext) {
    this.principal = principalOfRequest(request);
    this.organisationId = this.principal.organisation.id;
    this.actor = actorOf(this.principal);
    this.administration = new Administration(store, clock, random, this.actor);
    this.store = store;
    this.clock = clock;
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
    return organisationId === this.organisationId;
  }
}

function missing(what: string, id: string): TicketscanError {
  return new TicketscanError('not_found', `Unknown ${what} ${id}.`);
}
