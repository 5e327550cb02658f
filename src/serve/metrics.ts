import type { Server } from 'node:http';
import type { Logger } from 'pino';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Settings } from '../config/settings.ts';
import type { Clock } from '../core/clock.ts';
import type { Decision, Operation } from '../core/decision.ts';
import { messageOf, TicketscanError } from '../core/errors.ts';
import { isOnline } from '../core/limits.ts';
import {
  EDGE_REASONS,
  type EdgeReason,
  OUTCOME_NAMES,
  REFUSED_KINDS,
} from '../core/outcome-names.ts';
import type { BatchRequest, ScanOutcome } from '../core/scan-requests.ts';
import { insideNow } from '../features/events/inside-now.ts';
import { monthsOfKeys } from '../features/keys/key-watches.ts';
import { VERSION } from '../kit/version.ts';
import type { EdgeRefusals } from '../scan/edge-refusals.ts';
import { PLAIN_ANSWER, type PlainAnswer } from '../scan/http/connections.ts';
import {
  HARDWARE_PATHS,
  HARDWARE_PREFIX,
  HEARTBEAT_PATH,
  REST_PATHS,
} from '../scan/http/scan-paths.ts';
import { parseStoreUrl } from '../stores/open-store.ts';
import type { ScanBatchResult, ScanStore, Store } from '../stores/store.ts';
import { type MetricsAddress, serveMetrics } from './metrics-listener.ts';

/** The metrics of one server. */
export interface ServerMetrics {
  /** The store with its commits counted. */
  readonly scans: ScanStore;
  readonly countRefusedKey: () => void;
  readonly countRefused: (reason: EdgeReason) => void;
  /** Begins to measure the requests of `server`, and to answer scrapes. Resolves with the address of the metrics. @param edge gets refused scrapes */
  listen(server: Server, edge: EdgeRefusals): Promise<string>;
  close(): Promise<void>;
}

export interface ServerMetricsOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Prepares metrics, which nobody can read before `listen`. @throws TicketscanError `usage` for the gates' own port */
export function serverMetrics(
  address: MetricsAddress,
  settings: Pick<Settings, 'store' | 'port'>,
  { store, clock, log }: ServerMetricsOptions,
): ServerMetrics {
  if (address.port !== 0 && address.port === settings.port) {
    throw new TicketscanError(
      'usage',
      `--metrics must have a port of its own: ${address.port} is the port of the scan API.`,
    );
  }
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  buildInfo(registry, parseStoreUrl(settings.store).engine);
  const onFailure = (error: unknown) =>
    log.warn({ error: messageOf(error) }, 'the metrics of the store cannot be read');
  const state = stateMetrics(registry, { store, clock, onFailure });
  let close = async () => {};
  return {
    ...measureScans(registry, store),
    listen: async (server, edge) => {
      measureHttp(server, registry);
      const listener = await serveMetrics(registry, address, edge);
      close = () => listener.close();
      await state.start();
      return listener.url;
    },
    close: async () => {
      state.stop();
      await close();
    },
  };
}

/** Makes the metrics of a registry. */
function metricsOf(registry: Registry) {
  const registers = [registry];
  return {
    counter: <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
      new Counter({ name, help, labelNames, registers }),
    gauge: <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
      new Gauge({ name, help, labelNames, registers }),
    histogram: <Label extends string>(
      buckets: number[],
      name: string,
      help: string,
      ...labelNames: Label[]
    ) => new Histogram({ name, help, buckets, labelNames, registers }),
  };
}

function buildInfo(registry: Registry, engine: string): void {
  const help = 'Always 1; the labels say which program runs on which kind of store.';
  const labels = { version: VERSION, engine, node: process.versions.node };
  const { gauge } = metricsOf(registry);
  gauge('ticketscan_build_info', help, 'version', 'engine', 'node').set(labels, 1);
}

const BATCH_SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
const COMMIT_SECONDS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

type Metrics = ReturnType<typeof metricsIn>;

function metricsIn(registry: Registry) {
  const { counter, histogram } = metricsOf(registry);
  return {
    scans: counter(
      'ticketscan_scans_total',
      'Scans that were decided, by operation and outcome; of rejections, the reason is the outcome.',
      'operation',
      'outcome',
    ),
    refused: counter(
      'ticketscan_refused_requests_total',
      'Connections and requests that were refused before a decision, by reason.',
      'reason',
    ),
    heartbeats: counter('ticketscan_heartbeats_total', 'Heartbeats of devices that were answered.'),
    batchSize: histogram(
      BATCH_SIZES,
      'ticketscan_commit_batch_size',
      'Requests that one transaction of the store answered together.',
    ),
    commitSeconds: histogram(
      COMMIT_SECONDS,
      'ticketscan_commit_duration_seconds',
      'Time from handing a batch to the store until it was durable.',
    ),
    failures: counter(
      'ticketscan_commit_failures_total',
      'Batches whose outcome is unknown because the store failed; their devices stayed closed.',
    ),
  };
}

/**
 * Counts the outcomes of scans and measures commits. Every value is a total of this process.
 * @returns the same store, measured; and counters for the server's edge, because most refused requests never reach the store
 */
function measureScans(
  registry: Registry,
  store: ScanStore,
): Pick<ServerMetrics, 'scans' | 'countRefusedKey' | 'countRefused'> {
  const metrics = metricsIn(registry);
  beginAtZero(metrics);
  const { batchesInFlight, scanMsMax } = store;
  return {
    scans: {
      ...(batchesInFlight === undefined ? {} : { batchesInFlight }),
      ...(scanMsMax === undefined ? {} : { scanMsMax }),
      commitScans: (requests, deadlineMs) => commit(metrics, store, requests, deadlineMs),
    },
    countRefusedKey: () => metrics.refused.inc({ reason: 'key_refused' }),
    countRefused: (reason) => metrics.refused.inc({ reason }),
  };
}

/** Sets counters to 0: a counter that appears with its first event hides that event from `increase()`. */
function beginAtZero({ scans, refused }: Metrics): void {
  for (const operation of ['validate', 'consume'] satisfies Operation[]) {
    for (const outcome of OUTCOME_NAMES) {
      const isOfOther = outcome === (operation === 'validate' ? 'consumed' : 'validated');
      if (!isOfOther) scans.inc({ operation, outcome }, 0);
    }
  }
  const reasons = [...REFUSED_KINDS, ...(Object.keys(EDGE_REASONS) as EdgeReason[])];
  for (const reason of reasons) refused.inc({ reason }, 0);
}

async function commit(
  metrics: Metrics,
  store: Pick<ScanStore, 'commitScans'>,
  requests: readonly BatchRequest[],
  deadlineMs: number | undefined,
): Promise<ScanBatchResult> {
  const beganAt = performance.now();
  try {
    const result = await store.commitScans(requests, deadlineMs);
    metrics.commitSeconds.observe((performance.now() - beganAt) / 1000);
    metrics.batchSize.observe(requests.length);
    for (const [index, request] of requests.entries()) {
      count(metrics, request, result.outcomes[index]);
    }
    return result;
  } catch (error) {
    metrics.failures.inc();
    throw error;
  }
}

function count(metrics: Metrics, request: BatchRequest, outcome: ScanOutcome | undefined): void {
  if (outcome === undefined) return;
  switch (outcome.kind) {
    // Nothing was decided, and the same request comes again.
    case 'rate_changed':
    case 'device_changed':
      break;
    // The server's edge counts these.
    case 'key_refused':
      break;
    case 'alive':
      metrics.heartbeats.inc();
      break;
    case 'decided': {
      if (request.kind !== 'scan') break;
      const labels = { operation: request.operation, outcome: outcomeOf(outcome.decision) };
      metrics.scans.inc(labels);
      break;
    }
    default:
      metrics.refused.inc({ reason: outcome.kind });
  }
}

function outcomeOf(decision: Decision): string {
  return decision.status === 'rejected' ? decision.reason : decision.status;
}

/** The buckets of the OpenTelemetry conventions, with two below: most scans take a millisecond or two. */
const SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
];
const WHOLE_PATHS: ReadonlySet<string> = new Set([
  ...Object.values(REST_PATHS),
  ...Object.values(HARDWARE_PATHS),
  HEARTBEAT_PATH,
  '/healthz',
  '/readyz',
]);
const PREFIXES = [HARDWARE_PREFIX, '/admin/v1/', '/devices/', '/_test/'];
const METHODS: ReadonlySet<string> = new Set('GET HEAD POST PUT PATCH DELETE OPTIONS'.split(' '));
const STREAM = 'text/event-stream';

/** Measures every answered request of a server, as the OpenTelemetry conventions for HTTP servers name it. */
function measureHttp(server: Server, registry: Registry): void {
  const duration = metricsOf(registry).histogram(
    SECONDS,
    'http_server_request_duration_seconds',
    'Time from the head of a request to the end of its answer; live views are left out.',
    'http_request_method',
    'http_route',
    'http_response_status_code',
  );
  server.on(PLAIN_ANSWER, ({ path, status, seconds }: PlainAnswer) => {
    const labels = { http_request_method: 'POST', http_route: routeOf(path) };
    duration.observe({ ...labels, http_response_status_code: status }, seconds);
  });
  server.prependListener('request', (request, response) => {
    const beganAt = performance.now();
    const { method = '', url = '' } = request;
    response.once('finish', () => {
      if (String(response.getHeader('content-type')).startsWith(STREAM)) return;
      const seconds = (performance.now() - beganAt) / 1000;
      const labels = {
        http_request_method: METHODS.has(method) ? method : '_OTHER',
        http_route: routeOf(url),
        http_response_status_code: response.statusCode,
      };
      duration.observe(labels, seconds);
    });
  });
}

/** Returns one of a few names, because the paths of clients must not become labels. */
function routeOf(url: string): string {
  const mark = url.indexOf('?');
  const path = mark === -1 ? url : url.slice(0, mark);
  if (WHOLE_PATHS.has(path)) return path;
  const prefix = PREFIXES.find((one) => path.startsWith(one));
  return prefix === undefined ? '/*' : `${prefix}*`;
}

/** How often the state is read; a scrape never waits for the store. */
const READ_EVERY_MS = 15_000;

interface StateMetricsOptions {
  readonly store: Pick<
    Store,
    'list' | 'read' | 'keyUses' | 'listDevices' | 'listOccupancy' | 'sumScans' | 'listUndos'
  >;
  readonly clock: Clock;
  /** Is called if a reading failed. The gauges keep their values, and the time of the last reading shows their age. */
  readonly onFailure: (error: unknown) => void;
}

function stateGauges(registry: Registry) {
  const { gauge } = metricsOf(registry);
  return {
    devices: gauge(
      'ticketscan_devices',
      'Devices that have sent a heartbeat, by whether the last one is recent.',
      'state',
    ),
    used: gauge(
      'ticketscan_quota_used_ratio_max',
      'The highest share of its monthly quota that any key has used; at 1 its scans are refused.',
    ),
    inside: gauge(
      'ticketscan_people_inside',
      'People inside all events: grants inwards less grants outwards, since the last reset of the event, daily or by hand.',
    ),
    readAt: gauge(
      'ticketscan_state_read_timestamp_seconds',
      'When devices, quotas and the other gauges of the store were read last (seconds since 1970 UTC).',
    ),
  };
}

/**
 * Gauges of the state that all processes on a store share: devices, quotas, and others that are registered. No gauge names an
 * organisation, event, key or device. There are only totals and maxima of the whole server.
 * @returns `start` reads the state now, and every few seconds until `stop`
 */
function stateMetrics(
  registry: Registry,
  { store, clock, onFailure }: StateMetricsOptions,
): { readonly start: () => Promise<void>; readonly stop: () => void } {
  const gauges = stateGauges(registry);
  const read = () => readState(gauges, store, clock.now()).catch(onFailure);
  let timer: NodeJS.Timeout | undefined;
  return {
    start: async () => {
      await read();
      timer = setInterval(() => void read(), READ_EVERY_MS).unref();
    },
    stop: () => clearInterval(timer),
  };
}

async function readState(
  { devices, used, inside, readAt }: ReturnType<typeof stateGauges>,
  store: StateMetricsOptions['store'],
  now: number,
): Promise<void> {
  const states = { online: 0, offline: 0 };
  for (const { id } of await store.list('organisation')) {
    for (const { lastContactAt } of await store.listDevices(id)) {
      if (lastContactAt === null) continue;
      states[isOnline(lastContactAt, now) ? 'online' : 'offline'] += 1;
    }
  }
  for (const [state, count] of Object.entries(states)) devices.set({ state }, count);
  const shares = (await monthsOfKeys(store, now)).map(({ requestsInMonth, quotaPerMonth }) =>
    quotaPerMonth > 0 ? requestsInMonth / quotaPerMonth : 1,
  );
  used.set(Math.max(0, ...shares));
  const passed = new Set((await store.listOccupancy()).map(({ eventId }) => eventId));
  const events = (await store.list('event')).filter(({ id }) => passed.has(id));
  const insideOf = await insideNow(store, events, now);
  inside.set(events.reduce((sum, { id }) => sum + insideOf(id).people, 0));
  readAt.set(now / 1000);
}
