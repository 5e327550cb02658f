import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { isAccountId, type Role } from '../core/administrative-records.ts';
import type { Clock } from '../core/clock.ts';
import { messageOf, TicketscanError } from '../core/errors.ts';
import { DEFAULT_LIMITS, type OrganisationLimits } from '../core/limits.ts';
import type { ApiKeyRecord, EventRecord, Organisation, ScannerRecord } from '../core/records.ts';
import type { Ticket } from '../core/ticket.ts';
import type { Keyring } from '../core/ticket-code.ts';
import type { TrustedProxies } from '../kit/client-address.ts';
import type { RandomBytes } from '../kit/random.ts';
import { operationsOn } from '../operations/operation.ts';
import type { RefusedAtEdge } from '../scan/refusal-counter.ts';
import type { ScanService } from '../scan/scan-service.ts';
import type { RecordFilter } from '../stores/record-store.ts';
import type { Store } from '../stores/store.ts';
import { type Access, actorOf, type Principal } from './accounts/access.ts';
import type { AccountDeps } from './accounts/accounts.ts';
import { ownOrigin, principalOfRequest } from './accounts/guard.ts';
import type { PasswordCost } from './accounts/passwords.ts';
import type { Phones } from './accounts/phones.ts';
import type { Throttle } from './accounts/throttle.ts';
import { type Actor, COMMAND_LINE } from './actor.ts';
import { Administration } from './keys/administration.ts';
import type { AccountScans } from './scans/account-scans.ts';
import type { MinuteStatistics } from './statistics/minute-statistics.ts';
import type { WebhookNetwork } from './webhooks/network.ts';

/** The context of an operation, on an open store or in a server. */
export interface OperationContext {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: RandomBytes;
  /** The objects that the caller may reach. */
  readonly scope: OrganisationScope;
  readonly keyring: () => Keyring | Promise<Keyring>;
  /** The network over which webhooks are sent. */
  readonly webhookNetwork: () => Promise<WebhookNetwork>;
  /** The address at which devices reach the service. */
  readonly baseUrl: () => string;
  /** Runs work after a server's answer; on an open store, the call waits for it. @param failure the text for the log if it fails */
  readonly afterwards: (work: Promise<unknown>, failure: string) => void;
  /** Absent on a store that is open here. */
  readonly server?: ServerContext;
}

/** The context that only a server has. */
export interface ServerContext extends AdminContext {
  readonly principal: Principal;
  /** The `Accept-Language` of the client. */
  readonly language: string | undefined;
}

/** Makes the operations of the features. */
export const operation = operationsOn<OperationContext>();

/** The server, for operations that exist there only. @throws TicketscanError `usage` on a store that is open here */
export function serverOf({ server }: OperationContext): ServerContext {
  if (server) return server;
  throw new TicketscanError('usage', 'Only a server can do that: name it with --url.');
}

/** The parts on which the administration is built. */
export interface AdminDeps {
  readonly store: Store;
  /** Decides the scans of people who are signed in. */
  readonly service: () => ScanService;
  readonly keyring: () => Keyring;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly log: Logger;
  readonly version: string;
  readonly engine: 'sqlite' | 'memory' | 'json' | 'postgres';
  /** Whether this server has controls that only tests want. */
  readonly testControls: boolean;
  /** The address at which devices reach the service; by default the one that the browser used. */
  readonly baseUrl?: string | undefined;
  /** Proxies whose `X-Forwarded-For` counts; none by default. */
  readonly isTrustedProxy?: TrustedProxies | undefined;
  /** Called for every request that is refused. */
  readonly countRefusal?: ((refused: RefusedAtEdge) => void) | undefined;
  /** Whether clients use HTTPS, here or up to the proxy in front. */
  readonly isHttps?: boolean | undefined;
  /** How webhooks are sent; by default to public addresses only. */
  readonly webhookNetwork?: WebhookNetwork | undefined;
  /** The names of the device files of this server; none by default. */
  readonly deviceFiles?: readonly string[] | undefined;
  /** Tests make passwords cheaper. */
  readonly passwordCost?: PasswordCost | undefined;
}

/** The parts that the routes of a server share. */
export interface AdminContext extends AdminDeps {
  readonly accountDeps: AccountDeps;
  readonly access: Access;
  readonly phones: Phones;
  /** The limit on names of new accounts. */
  readonly newNames: Throttle;
  readonly scans: AccountScans;
  readonly minuteStatistics: MinuteStatistics;
  readonly webhookNetwork: WebhookNetwork;
  /** The address of the client of a request, behind trusted proxies. */
  readonly addressOf: (request: FastifyRequest) => string;
}

/** The context of an operation that a request calls. */
export function contextOf(request: FastifyRequest, deps: AdminContext): OperationContext {
  const { store, clock, random, keyring, webhookNetwork } = deps;
  const principal = principalOfRequest(request);
  return {
    store,
    clock,
    random,
    keyring,
    webhookNetwork: async () => webhookNetwork,
    scope: new OrganisationScope({ principal }, deps),
    baseUrl: () => deps.baseUrl ?? originOf(request, deps),
    afterwards: (work, failure) => {
      work.catch((error: unknown) => request.log.warn({ error: messageOf(error) }, failure));
    },
    server: { ...deps, principal, language: request.headers['accept-language'] },
  };
}

/** The scope of somebody with an account. */
export type AccountScope = OrganisationScope & {
  readonly organisation: Organisation;
  readonly organisationId: string;
};

/** The scope of a route that is written by hand. */
export function scopeOf(request: FastifyRequest, deps: AdminContext): AccountScope {
  const principal = principalOfRequest(request);
  return new OrganisationScope({ principal }, deps) as AccountScope;
}

/** The server's origin as the client names it. A browser also knows whether TLS ends at a proxy in front. */
function originOf({ headers, host }: FastifyRequest, { isHttps }: AdminContext): string {
  return ownOrigin(headers) ?? `${isHttps ? 'https' : 'http'}://${host}`;
}

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
