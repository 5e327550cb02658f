import type { Logger } from 'pino';
import type { ScanService } from '../scan/scan-service.ts';

/** What the HTTP layer is built on; it listens to nothing and reads no environment. */
export interface HttpDeps {
  readonly service: ScanService;
  /** Rejects when the store cannot write; asked by `/readyz`. */
  readonly checkWritable: () => Promise<void>;
  readonly log: Logger;
  /** For controllers that ignore the body of any answer but a 200. */
  readonly hardwareAlways200: boolean;
}
