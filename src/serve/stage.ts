import type { Clock } from '../core/clock.ts';
import type { Keyring } from '../core/ticket-code.ts';
import type { HttpDeps } from '../scan/http/exchange.ts';
import type { Store } from '../stores/store.ts';

/** What decides scans is built from. */
export interface ScanDeps {
  readonly store: Store;
  readonly keyring: () => Keyring;
  readonly clock: Clock;
  readonly deviceRetryWindowMs: number;
}

/** What the endpoints have whether or not a test drives them. */
export type EndpointDeps = Omit<HttpDeps, 'service' | 'testHooks'>;

/** The scans of one server, ready to be answered. */
export interface ServedScans {
  readonly deps: HttpDeps;
  readonly clock: Clock;
  /** What requests to the test controls must carry; undefined without them, and where the operator gave it: a given secret is not shown. */
  readonly testToken: string | undefined;
}

/**
 * A stage on which tests drive the scans of a server, or see unusual answers. `testing` has it; a server at a gate has none, and
 * none of its code in memory.
 */
export interface Stage {
  /** Whether tests may change clock and data. */
  readonly testControls: boolean;
  /** @param plain builds the scans as they are without a stage */
  build(scan: ScanDeps, endpoints: EndpointDeps, plain: () => ServedScans): Promise<ServedScans>;
}
