import type { FastifyPluginCallback } from 'fastify';
import type { Logger } from 'pino';
import type { Ticket } from '../../core/ticket.ts';
import type { TrustedProxies } from '../../kit/client-address.ts';
import type { DeviceFiles } from '../devices/device-files.ts';
import type { RefusedRequest } from '../scan/refusals.ts';
import type { ScanService } from '../scan/scan-service.ts';
import type { Endpoint, ServedEndpoint } from './exchange.ts';

/** What the HTTP layer is built on; it listens to nothing and reads no environment. */
export interface HttpDeps {
  readonly service: ScanService;
  /** Rejects when the store cannot write; asked by `/readyz`. */
  readonly checkWritable: () => Promise<void>;
  readonly log: Logger;
  /** Proxies whose `X-Forwarded-For` counts; none without it. */
  readonly isTrustedProxy?: TrustedProxies | undefined;
  /** Called for every scan and heartbeat that is refused because of its key or a limit. */
  readonly countRefusal?: (refused: RefusedRequest) => void;
  /** Finds where a ticket was used last, for the message of a denial; must not reject. */
  readonly lastGate?: ((ticket: Ticket) => Promise<string | undefined>) | undefined;
  /** Devices that are described in files; none without it. */
  readonly deviceFiles?: DeviceFiles | undefined;
  /** For controllers that ignore the body of any answer but a 200. */
  readonly hardwareAlways200: boolean;
  /** Present only in a server for tests (`serve --test-controls`, `serve --vary`, `ticketscan/testing`). */
  readonly testHooks?: TestHooks;
}

/** What is built around a server for tests; without it nothing of this runs, and its paths do not exist. */
interface TestHooks {
  /** Called once for each scan path when the server is built; what it returns answers in the endpoint's place. */
  readonly around: (path: string, endpoint: Endpoint) => ServedEndpoint;
  /** The controls over HTTP, under `/_test`; none where tests drive nothing. */
  readonly routes?: FastifyPluginCallback;
  /** The log level of request lines; `debug` without it. */
  readonly requestLevel?: 'info';
}
