import type { Refusal } from '../../core/scan-batch.ts';
import { addressOfRequest } from '../../kit/client-address.ts';
import type { RefusedRequest } from '../scan/refusal-counter.ts';
import { RefusalLog, refusalKind } from '../scan/refusal-log.ts';
import type { HttpDeps } from './deps.ts';
import type { RequestHead } from './exchange.ts';
import { safePath } from './request-log.ts';
import { isDevicePath } from './scan-paths.ts';
import { keyFields, sentKeys } from './sent-keys.ts';

const LIMITS: Partial<Record<Refusal['kind'], RefusedRequest['limit']>> = {
  limited: 'rate_limit',
  quota_exceeded: 'monthly_quota',
};

/** Tells the log of scans that were refused for their key, its scope or its limits, and has them counted. */
export class ScanRefusals {
  readonly #deps: HttpDeps;
  readonly #log: RefusalLog;

  constructor(deps: HttpDeps) {
    this.#deps = deps;
    this.#log = new RefusalLog(deps.log);
  }

  /** @param status of the decision, whatever status a device is sent */
  note(status: number, request: RequestHead): void {
    const kind = refusalKind(status);
    if (kind === undefined) return;
    const path = safePath(request.url ?? '');
    const key = keyFields(this.#deps.service, status, request);
    this.#log.note(kind, { status, path, address: this.#addressOf(request), ...key });
  }

  /** Counts a request that was refused because of its key or a limit. @param serial of the device that sent it */
  count(refusal: Refusal, request: RequestHead, serial: string | null): void {
    const endpoint = safePath(request.url ?? '');
    this.#deps.countRefusal?.({
      keys: sentKeys(request),
      type: isDevicePath(endpoint) ? 'hardware' : 'api',
      limit: LIMITS[refusal.kind],
      serial,
      address: this.#addressOf(request),
      endpoint,
    });
  }

  /** Writes what was counted and not logged yet. */
  flush(): void {
    this.#log.flush();
  }

  #addressOf(request: RequestHead): string {
    return addressOfRequest(request, this.#deps.isTrustedProxy);
  }
}
