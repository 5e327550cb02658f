import { randomBytes } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { EdgeReason } from '../../core/outcome-names.ts';
import type { Refusal } from '../../core/scan-requests.ts';
import { addressOfRequest } from '../../kit/client-address.ts';
import { withoutSecrets } from '../../kit/secrets.ts';
import { keptDeviceText } from '../../kit/text.ts';
import { EdgeRefusals } from '../edge-refusals.ts';
import {
  describeSecret,
  RefusalLog,
  type RefusedRequest,
  refusalKind,
} from '../refusal-counter.ts';
import type { ScanService } from '../scan-service.ts';
import type { HttpDeps, RefusalReporter, RequestHead } from './exchange.ts';
import { DEVICES_PREFIX, HARDWARE_PREFIX, isDevicePath, keyInPath } from './scan-paths.ts';

const SEGMENT_CHARACTERS_MAX = 24;
const PATH_CHARACTERS_MAX = 200;
/** Below it, a part of the path may be the secret of a device. */
const SECRET_PATHS = /^\/devices\/./;

/** After the answer, the body is no longer known. */
const serials = new WeakMap<RequestHead, string>();

const variations = new WeakMap<IncomingMessage, readonly string[]>();

/** Keeps the names of what is different in an answer for the line of its request. */
export function rememberVariations(request: IncomingMessage, names: readonly string[]): void {
  if (names.length > 0) variations.set(request, names);
}

/** Keeps the serial of a device for the line of its request. */
export function rememberSerial(request: RequestHead, serial: string | null): void {
  if (serial !== null) serials.set(request, keptDeviceText(serial));
}

/** Writes a line for each request that is answered or given up, where the log takes lines of that level. */
export function logRequests(server: Server, deps: HttpDeps): void {
  const { log, service, isTrustedProxy, testHooks } = deps;
  const level = testHooks?.requestLevel ?? 'debug';
  if (!log.isLevelEnabled(level)) return;
  const nextId = requestIds();
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const beganAt = performance.now();
    const { method, url = '' } = request;
    const path = safePath(url);
    const id = nextId(request);
    const address = addressOfRequest(request, isTrustedProxy);
    response.once('close', () => {
      const ms = Math.round((performance.now() - beganAt) * 10) / 10;
      const status = response.headersSent ? response.statusCode : null;
      const serial = serials.get(request);
      const device = serial === undefined ? {} : { serial };
      const vary = variations.get(request);
      const key =
        path.startsWith('/scan/') || path.startsWith(DEVICES_PREFIX)
          ? keyFields(service, status, request)
          : {};
      log[level]({ id, method, path, status, ms, address, ...key, ...device, vary }, 'request');
    });
  });
}

/** An id that a proxy gave: at most as long as a UUID, and shorter than a key or a code. */
const GIVEN_ID = /^[\w.-]{1,36}$/;

/** The proxy's `X-Request-Id`, where it is short and plain; else a number that is this process's own. */
function requestIds(): (request: IncomingMessage) => string {
  const start = randomBytes(3).toString('hex');
  let count = 0;
  return ({ headers }) => {
    const given = headers['x-request-id'];
    if (typeof given === 'string' && GIVEN_ID.test(given)) return withoutSecrets(given);
    count += 1;
    return `${start}-${count}`;
  };
}

/** The path without its query, and without parts that may be a key or a code. */
export function safePath(url: string): string {
  const mark = url.indexOf('?');
  const path = (mark === -1 ? url : url.slice(0, mark)).slice(0, PATH_CHARACTERS_MAX);
  if (SECRET_PATHS.test(path)) return '/devices/…';
  return path.split('/').map(safeSegment).join('/');
}

function safeSegment(segment: string): string {
  return segment.length > SEGMENT_CHARACTERS_MAX || segment.includes('tscn') ? '…' : segment;
}

const LIMITS: Partial<Record<Refusal['kind'], RefusedRequest['limit']>> = {
  limited: 'rate_limit',
  quota_exceeded: 'monthly_quota',
  retry_conflict: 'retry_conflict',
  bad_retry_name: 'bad_retry_name',
};

const KIND_OF_422 = 'a request with an Idempotency-Key that cannot be taken was refused';

/** Logs what is refused before a decision, or for the scope of a key, and has it counted. */
export class ScanRefusals implements RefusalReporter {
  readonly #deps: HttpDeps;
  readonly #log: RefusalLog;
  readonly edge: EdgeRefusals;

  constructor(deps: HttpDeps) {
    this.#deps = deps;
    this.#log = new RefusalLog(deps.log);
    this.edge = new EdgeRefusals(deps.log, deps.countRefusal);
  }

  refused(reason: EdgeReason, request: RequestHead, code?: string): void {
    const address = addressOfRequest(request, this.#deps.isTrustedProxy);
    this.edge.report(reason, { address, endpoint: safePath(request.url ?? ''), code });
  }

  report(
    status: number,
    request: RequestHead,
    by?: { readonly refusal: Refusal; readonly serial: string | null },
  ): void {
    const { service, countRefusal, isTrustedProxy } = this.#deps;
    const path = safePath(request.url ?? '');
    const address = addressOfRequest(request, isTrustedProxy);
    if (by) {
      countRefusal?.({
        keys: sentKeys(request),
        type: isDevicePath(path) ? 'hardware' : 'api',
        limit: LIMITS[by.refusal.kind],
        serial: by.serial,
        address,
        endpoint: path,
      });
    }
    const kind = status === 422 ? KIND_OF_422 : refusalKind(status);
    if (kind)
      this.#log.note(kind, { status, path, address, ...keyFields(service, status, request) });
  }

  /** Writes what was counted and not logged yet. */
  flush(): void {
    this.#log.flush();
    this.edge.flush();
  }
}

/** The keys that a request to a scan path sends, where its endpoint looks for them (section 5); several are refused. */
function sentKeys({ url = '', headers }: RequestHead): string[] {
  if (url.startsWith(HARDWARE_PREFIX)) {
    const mark = url.indexOf('?');
    return mark === -1 ? [] : new URLSearchParams(`&${url.slice(mark + 1)}`).getAll('key');
  }
  if (url.startsWith(DEVICES_PREFIX)) return [keyInPath(url)];
  const value = headers['x-api-key'];
  // Node joins headers of one name, and no key contains a comma.
  return typeof value === 'string' ? value.split(', ') : (value ?? []);
}

/**
 * The key of a request as a log may show it. One that was accepted is named by its id; one that was refused is not looked
 * up again.
 * @param status of the decision; null when there is no answer
 */
function keyFields(
  service: Pick<ScanService, 'knownKey'>,
  status: number | null,
  request: RequestHead,
): { keyId: string } | { key: string | null } {
  const [value] = sentKeys(request);
  if (value === undefined) return { key: null };
  const type = isDevicePath(request.url ?? '') ? 'hardware' : 'api';
  const key = status === 401 ? undefined : service.knownKey(value, type);
  return key ? { keyId: key.id } : { key: describeSecret(value) };
}
