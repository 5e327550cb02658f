import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Clock } from '../core/clock.ts';
import { messageOf, TicketscanError } from '../core/errors.ts';
import type { Keyring } from '../core/ticket-code.ts';
import type { TrustedProxies } from '../kit/client-address.ts';
import type { RandomBytes } from '../kit/random.ts';
import { operationsOn } from '../operations/operation.ts';
import type { RefusedAtEdge } from '../scan/refusal-counter.ts';
import type { ScanService } from '../scan/scan-service.ts';
import type { Store } from '../stores/store.ts';
import type { Access, Principal } from './accounts/access.ts';
import { ownOrigin, principalOfRequest } from './accounts/guard.ts';
import type { PasswordCost } from './accounts/passwords.ts';
import type { AccountDeps } from './accounts/rules.ts';
import type { Throttle } from './accounts/throttle.ts';
import type { Phones } from './phones/rules.ts';
import type { AccountScans } from './scans/rules.ts';
import { type AccountScope, OrganisationScope } from './scope.ts';
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
  /** How many days after the end of a ticket what tells of its guest is erased; by default never. */
  readonly keepHoldersDays?: number | undefined;
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

/** The scope of a route that is written by hand. */
export function scopeOf(request: FastifyRequest, deps: AdminContext): AccountScope {
  const principal = principalOfRequest(request);
  return new OrganisationScope({ principal }, deps) as AccountScope;
}

/** The server's origin as the client names it. A browser also knows whether TLS ends at a proxy in front. */
function originOf({ headers, host }: FastifyRequest, { isHttps }: AdminContext): string {
  return ownOrigin(headers) ?? `${isHttps ? 'https' : 'http'}://${host}`;
}
