import type { IncomingMessage } from 'node:http';
import { addressOfRequest } from '../../kit/client-address.ts';
import { describeSecret, RefusalLog, refusalKind } from '../scan/refusal-log.ts';
import type { HttpDeps } from './deps.ts';
import { safePath } from './request-log.ts';
import { HARDWARE_PREFIX } from './scan-paths.ts';

/** Tells the log of scans that were refused for their key, its scope or its limits. */
export class ScanRefusals {
  readonly #deps: HttpDeps;
  readonly #log: RefusalLog;

  constructor(deps: HttpDeps) {
    this.#deps = deps;
    this.#log = new RefusalLog(deps.log);
  }

  /** @param status of the decision, whatever status a device is sent */
  note(status: number, request: IncomingMessage, query: string): void {
    const kind = refusalKind(status);
    if (kind === undefined) return;
    const path = safePath(request.url ?? '');
    const address = addressOfRequest(request, this.#deps.isTrustedProxy);
    this.#log.note(kind, { status, path, address, ...this.#keyOf(status, request, query) });
  }

  /** Writes what was counted and not logged yet. */
  flush(): void {
    this.#log.flush();
  }

  /** A key that was accepted is named by its id. One that was not is looked up by nobody again. */
  #keyOf(status: number, { url = '', headers }: IncomingMessage, query: string) {
    const isHardware = url.startsWith(HARDWARE_PREFIX);
    const value = isHardware ? new URLSearchParams(query).get('key') : headers['x-api-key'];
    if (typeof value !== 'string') return { key: null };
    const key =
      status === 401
        ? undefined
        : this.#deps.service.findKey(value, isHardware ? 'hardware' : 'api');
    return key === undefined || key instanceof Promise
      ? { key: describeSecret(value) }
      : { keyId: key.id };
  }
}
