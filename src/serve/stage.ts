import type { Clock } from '../core/clock.ts';
import type { Keyring } from '../core/ticket-code.ts';
import type { HttpDeps } from '../scan/http/exchange.ts';
import type { Store } from '../stores/store.ts';

/** The parts from which the decision of scans is built. */
export interface ScanDeps {
  readonly store: Store;
  readonly keyring: () => Keyring;
  readonly clock: Clock;
  readonly deviceRetryWindowMs: number;
  /** Why no scan is to be decided now; see `ScanServiceDeps`. */
  readonly whyNot?: (() => string | undefined) | undefined;
}

/** The parts of the endpoints, with or without tests. */
export type EndpointDeps = Omit<HttpDeps, 'service' | 'testHooks'>;

/** The scans of one server, ready to be answered. */
export interface ServedScans {
  readonly deps: HttpDeps;
  readonly clock: Clock;
  /** The token of the test controls; undefined without them, and if the operator gave it, because a given secret is not shown. */
  readonly testToken: string | undefined;
}

/**
 * A stage lets tests control the scans of a server, or get unusual answers. `testing` provides it. A server at a gate has none, and
 * does not load its code.
 */
export interface Stage {
  /** Whether tests may change clock and data. */
  readonly testControls: boolean;
  /** @param plain builds the scans without a stage */
  build(scan: ScanDeps, endpoints: EndpointDeps, plain: () => ServedScans): Promise<ServedScans>;
}
