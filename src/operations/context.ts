import type { Clock } from '../core/clock.ts';
import { TicketscanError } from '../core/errors.ts';
import type { Keyring } from '../core/keyring.ts';
import type { Principal } from '../features/accounts/access.ts';
import type { WebhookNetwork } from '../features/webhooks/network.ts';
import type { RandomBytes } from '../kit/random.ts';
import type { Store } from '../stores/store.ts';
import type { AdminContext } from './http/admin-app.ts';
import type { OrganisationScope } from './scope.ts';

/** What operations work with, on a store that is open here or in a server. */
export interface OperationContext {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: RandomBytes;
  /** The objects that the caller may reach. */
  readonly scope: OrganisationScope;
  readonly keyring: () => Keyring | Promise<Keyring>;
  /** How webhooks are sent. */
  readonly webhookNetwork: () => Promise<WebhookNetwork>;
  /** The address at which devices reach the service. */
  readonly baseUrl: () => string;
  /** Work that goes on after a server's answer; on a store that is open here, the call ends with it. @param failure what the log says */
  readonly afterwards: (work: Promise<unknown>, failure: string) => void;
  /** Absent on a store that is open here. */
  readonly server?: ServerContext;
}

/** What only a server has. */
export interface ServerContext extends AdminContext {
  readonly principal: Principal;
  /** What the client accepts, as `Accept-Language`. */
  readonly language: string | undefined;
}

/** For operations that exist at a server only. @throws TicketscanError `usage` on a store that is open here */
export function serverOf({ server }: OperationContext): ServerContext {
  if (server) return server;
  throw new TicketscanError('usage', 'Only a server can do that: name it with --url.');
}
