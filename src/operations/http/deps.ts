import type { Logger } from 'pino';
import type { Clock } from '../../core/clock.ts';
import type { Keyring } from '../../core/keyring.ts';
import type { PasswordCost } from '../../features/accounts/passwords.ts';
import type { WebhookNetwork } from '../../features/webhooks/network.ts';
import type { TrustedProxies } from '../../kit/client-address.ts';
import type { RandomBytes } from '../../kit/random.ts';
import type { ScanService } from '../../scan/scan-service.ts';
import type { Store } from '../../stores/store.ts';

/** What the administration is built on. */
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
  /** Whether clients use HTTPS, here or up to the proxy in front. */
  readonly isHttps?: boolean | undefined;
  /** How webhooks are sent; by default to public addresses only. */
  readonly webhookNetwork?: WebhookNetwork | undefined;
  /** The names of the device files of this server; none by default. */
  readonly deviceFiles?: readonly string[] | undefined;
  /** Tests make passwords cheaper. */
  readonly passwordCost?: PasswordCost | undefined;
}
