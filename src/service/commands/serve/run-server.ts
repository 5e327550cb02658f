import { randomBytes } from 'node:crypto';
import { existsSync, unwatchFile, watchFile } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { type Logger, pino } from 'pino';
import { readKeyring } from '../../../config/keyring-file.ts';
import type { Settings } from '../../../config/settings.ts';
import { systemClock } from '../../../config/system-clock.ts';
import { readProxies } from '../../../config/trusted-proxies.ts';
import type { Clock } from '../../../core/clock.ts';
import { messageOf, TicketscanError } from '../../../core/errors.ts';
import type { Keyring } from '../../../core/keyring.ts';
import { inSentences, listenFailure } from '../../../kit/failures.ts';
import { VERSION } from '../../../terminal/version.ts';
import type { BenchDeps } from '../../../testing/test-bench.ts';
import type { VaryOptions } from '../../../testing/vary/variations.ts';
import { adminApi } from '../../admin/admin-api.ts';
import { dashboardPages } from '../../admin/dashboard-pages.ts';
import { openDeviceFiles } from '../../devices/files/open-device-files.ts';
import { buildApp, type HttpApp } from '../../http/app.ts';
import type { HttpDeps } from '../../http/deps.ts';
import { expiryWatch } from '../../manage/expiry-watch.ts';
import { LastGates } from '../../manage/last-gates.ts';
import { monthWatch } from '../../manage/month-watch.ts';
import { Passages } from '../../manage/passages.ts';
import { RefusalCounter, type RefusedRequest } from '../../scan/refusal-counter.ts';
import { ScanService } from '../../scan/scan-service.ts';
import { parseStoreUrl } from '../../stores/open-store.ts';
import type { ScanStore } from '../../stores/scan-store.ts';
import type { Store } from '../../stores/store.ts';
import { Deliverer } from '../../webhooks/deliverer.ts';
import type { WebhookNetwork } from '../../webhooks/https-sender.ts';
import { openKeyring } from '../access/store-access.ts';
import { addressesOf, chosenNames } from './addresses.ts';
import { expectShortLives } from './collector.ts';
import { retainDaily } from './daily-retention.ts';
import { warnOfMissingFiles } from './device-files.ts';
import { METRICS_SETTINGS, metricsAddress } from './metrics-address.ts';
import { type Redirects, serveRedirects } from './redirect.ts';
import { ServedCertificate } from './served-certificate.ts';
import type { ServerMetrics, ServerMetricsOptions } from './server-metrics.ts';
import { tlsFor } from './tls.ts';
import { WEBHOOK_SETTINGS, webhookNetworkFrom } from './webhook-network.ts';

export const SERVER_SETTINGS = [
  'baseUrl',
  'host',
  'port',
  'tlsCert',
  'tlsKey',
  'tlsSelfSigned',
  'tlsName',
  'tlsElsewhere',
  'redirectHttp',
  'trustedProxy',
  'logLevel',
  'requestTimeoutMs',
  'headersTimeoutMs',
  'stopTimeoutMs',
  'hardwareAlways200',
  'deviceFile',
  'deviceRetryWindowMs',
  'keepLogDays',
  'keepHoldersDays',
  ...METRICS_SETTINGS,
  ...WEBHOOK_SETTINGS,
] as const;

export interface ServerSettings extends Pick<Settings, (typeof SERVER_SETTINGS)[number] | 'store'> {
  /** Lets tests drive the server over HTTP (docs/testing.md); false by default. */
  readonly testControls?: boolean;
  /** The token of the test controls; without it they make one and answer this machine only. */
  readonly testToken?: string | undefined;
  /** Answers differ from the usual ones as the specification allows (docs/testing.md). */
  readonly vary?: VaryOptions | undefined;
}

export interface RunningServer {
  /** Can be opened on this machine. */
  readonly url: string;
  readonly testControls: boolean;
  /** What the test controls want in a header; undefined without them, and where it was given: a given secret is not shown. */
  readonly testToken: string | undefined;
  /** All addresses, also those for other machines. */
  readonly urls: readonly string[];
  /** The one for browsers and devices: as it was set, else one for other machines if there is one. */
  readonly publicUrl: string;
  /** Undefined over plain HTTP. */
  readonly certificate: ServedCertificate | undefined;
  /** The port on which plain HTTP is redirected or refused, if there is one. */
  readonly redirectPort: number | undefined;
  /** Where Prometheus reads the metrics, where they are served. */
  readonly metricsUrl: string | undefined;
  /** Stops listening, answers what has arrived, and leaves the store to its owner. */
  close(): Promise<void>;
}

const KEYRING_WATCH_MS = 1000;
const KEY_WATCH_MS = 60_000;

/**
 * Serves the scan API on a store.
 * @param keyringPath undefined keeps the keyring in memory
 * @throws TicketscanError `usage` for an address that cannot be had, and as `openKeyring` and `tlsFor` do
 */
export async function runServer(
  store: Store,
  keyringPath: string | undefined,
  settings: ServerSettings,
  logTo: NodeJS.WritableStream,
): Promise<RunningServer> {
  expectShortLives();
  const log = pino({ level: settings.logLevel, base: null }, logTo);
  const tls = await tlsFor(settings, keyringPath && dirname(keyringPath));
  const keyring = await watchedKeyring(store, keyringPath, log);
  const { testControls = false } = settings;
  const scan = { ...settings, store, keyring: keyring.current, clock: systemClock };
  const isTrustedProxy = readProxies(settings.trustedProxy ?? '');
  const refusals = refusalCounter(store, { now: () => clock.now() }, log);
  const metrics = await metricsFrom(settings, { store, clock: systemClock, log });
  const told = { countRefusal: refusalsInto(refusals, metrics), lastGate: new LastGates(store).of };
  const devices = await scanSettings(settings, store, { now: () => clock.now() }, log);
  const edge = { log, isTrustedProxy, ...told, ...devices };
  const { deps, clock, testToken } = testControls
    ? await underTestControls(scan, edge)
    : await plain(scan, edge, metrics?.scans);
  const certificate = tls && new ServedCertificate(tls, log);
  const strictTransport = () => certificate?.isStrictAt(settings.host) === true;
  const webhookNetwork = webhookNetworkFrom(settings);
  const admin = { store, keyring: keyring.current, clock, log, isTrustedProxy, webhookNetwork };
  const app = buildApp(deps, { ...settings, ...(tls && { tls }), strictTransport }, [
    adminApi({
      ...admin,
      service: () => deps.service,
      ...adminSettings(settings, tls !== undefined, deps),
    }),
    dashboardPages,
  ]);
  const { port, redirects, metricsUrl } = await listen(app, settings, {
    certificate,
    metrics,
    log,
  }).catch((error) => {
    keyring.stop();
    throw error;
  });
  const urls = addressesOf(settings.host, port, tls !== undefined, chosenNames(settings));
  const stopHousekeeping = keepHouse(store, settings, clock, log, webhookNetwork);
  return {
    url: urls[0],
    urls,
    publicUrl: settings.baseUrl ?? urls[1] ?? urls[0],
    certificate,
    redirectPort: redirects?.port,
    metricsUrl,
    testControls,
    testToken,
    close: async () => {
      keyring.stop();
      certificate?.stop();
      await Promise.all([redirects?.close(), metrics?.close(), stopHousekeeping()]);
      await closeApp(app, settings.stopTimeoutMs);
      await deps.service.drained();
      await refusals.flush();
    },
  };
}

/** What the scan endpoints need of the store, and what is configured about devices. @throws TicketscanError `usage` for a device file that cannot be used */
async function scanSettings(
  settings: ServerSettings,
  store: Store,
  clock: Pick<Clock, 'now'>,
  log: Logger,
): Promise<Pick<HttpDeps, 'hardwareAlways200' | 'deviceFiles' | 'passages' | 'checkWritable'>> {
  const { hardwareAlways200 } = settings;
  const deviceFiles = await openDeviceFiles(settings.deviceFile, hardwareAlways200);
  await warnOfMissingFiles(store, deviceFiles, log);
  const checkWritable = () => store.checkWritable();
  const passages = await Passages.resumed(store, clock);
  return { checkWritable, hardwareAlways200, deviceFiles, passages };
}

/** Answers what has arrived. After that time, what is not answered is cut off. */
async function closeApp(app: HttpApp, stopTimeoutMs: number): Promise<void> {
  const cutOff = setTimeout(() => app.server.closeAllConnections(), stopTimeoutMs);
  await app.close();
  clearTimeout(cutOff);
}

function adminSettings(
  { store, testControls = false, baseUrl, tlsElsewhere }: ServerSettings,
  isTls: boolean,
  { deviceFiles }: HttpDeps,
) {
  return {
    deviceFiles: deviceFiles?.names,
    random: randomBytes,
    version: VERSION,
    engine: parseStoreUrl(store).engine,
    testControls,
    baseUrl,
    isHttps: isTls || tlsElsewhere,
  };
}

type Edge = Omit<HttpDeps, 'service' | 'testHooks'>;
interface Served {
  readonly deps: HttpDeps;
  readonly clock: Clock;
  readonly testToken: string | undefined;
}

/** @param measured the store with its commits counted, where somebody reads the counts */
async function plain(
  scan: BenchDeps,
  edge: Edge,
  measured: ScanStore | undefined,
): Promise<Served> {
  const findKeyByHash = (hash: string) => scan.store.findKeyByHash(hash);
  const store = measured ? { ...measured, findKeyByHash } : scan.store;
  const service = new ScanService({ ...scan, store });
  const deps = { ...edge, service };
  const served = { clock: systemClock, testToken: undefined };
  if (!scan.vary) return { ...served, deps };
  // As with the test controls: a server in earnest has none of it in its memory.
  const { varied } = await import('../../../testing/vary/varied-endpoint.ts');
  return { ...served, deps: varied(deps, scan.vary) };
}

/** Imported only when somebody asks for it: a server in earnest has none of it in its memory. */
async function underTestControls(scan: BenchDeps, edge: Edge): Promise<Served> {
  const [{ TestBench }, { hooksOf }] = await Promise.all([
    import('../../../testing/test-bench.ts'),
    import('../../../testing/hooks.ts'),
  ]);
  const bench = new TestBench({ ...scan, deviceFiles: edge.deviceFiles?.names });
  const testToken = scan.testToken === undefined ? bench.testToken : undefined;
  return { deps: hooksOf(bench, edge), clock: bench.clockInHand, testToken };
}

function refusalCounter(store: Store, clock: Pick<Clock, 'now'>, log: Logger): RefusalCounter {
  const onFailure = (error: string) =>
    log.warn({ error }, 'refused requests could not be written down; they are kept until they can');
  return new RefusalCounter({ store, clock, onFailure });
}

function refusalsInto(
  refusals: RefusalCounter,
  metrics: ServerMetrics | undefined,
): (refused: RefusedRequest) => void {
  return (refused) => {
    refusals.count(refused);
    if (refused.limit === undefined) metrics?.countRefusedKey();
  };
}

/** What a server does by itself, beside requests. @returns stops it */
function keepHouse(
  store: Store,
  settings: ServerSettings,
  clock: Clock,
  log: Logger,
  webhookNetwork: WebhookNetwork,
): () => Promise<void> {
  const keys = watchKeys(store, clock, log);
  const stopRetaining = retainDaily(store, settings.store, settings, log);
  const deliverer = startDeliverer(store, clock, log, webhookNetwork);
  return async () => {
    clearInterval(keys);
    stopRetaining();
    await deliverer.close();
  };
}

/** Loaded only where somebody reads them. */
async function metricsFrom(
  settings: ServerSettings,
  options: ServerMetricsOptions,
): Promise<ServerMetrics | undefined> {
  const address = metricsAddress(settings);
  if (!address) return undefined;
  const { serverMetrics } = await import('./server-metrics.ts');
  return serverMetrics(address, settings, options);
}

function startDeliverer(
  store: Store,
  clock: Clock,
  log: Logger,
  { send, close }: WebhookNetwork,
): { close: () => Promise<void> } {
  const tell = (facts: object, message: string) => log.warn(facts, message);
  const holder = randomBytes(8).toString('hex');
  const deliverer = new Deliverer({ store, clock, send, holder, tell });
  deliverer.start();
  return {
    close: async () => {
      await deliverer.close();
      close();
    },
  };
}

/** Warns in the log of keys whose month comes to its end, and of those that expire soon. */
function watchKeys(store: Store, clock: Clock, log: Logger): NodeJS.Timeout {
  const warn = (facts: object, message: string) => log.warn(facts, message);
  const watches = [monthWatch(store, clock, warn), expiryWatch(store, clock, warn)];
  const look = () => {
    Promise.all(watches.map((watch) => watch())).catch((error: unknown) => {
      log.warn({ error: messageOf(error) }, 'the quotas and expiries of the keys cannot be read');
    });
  };
  return setInterval(look, KEY_WATCH_MS).unref();
}

/** Another process may rotate or retire a key: the file is read again when it changes. */
async function watchedKeyring(
  store: Store,
  path: string | undefined,
  log: Logger,
): Promise<{ current: () => Keyring; stop: () => void }> {
  let keyring = await openKeyring(store, path);
  if (path === undefined) return { current: () => keyring, stop: () => {} };
  const reload = () => {
    try {
      if (existsSync(path)) keyring = readKeyring(path);
    } catch (error) {
      log.error(
        { error: messageOf(error) },
        'the changed keyring cannot be used; the previous one stays in use',
      );
    }
  };
  watchFile(path, { interval: KEYRING_WATCH_MS, persistent: false }, reload);
  return { current: () => keyring, stop: () => unwatchFile(path, reload) };
}

interface Listening {
  readonly port: number;
  readonly redirects: Redirects | undefined;
  readonly metricsUrl: string | undefined;
}

interface Beside {
  readonly certificate: ServedCertificate | undefined;
  readonly metrics: ServerMetrics | undefined;
  readonly log: Logger;
}

/** @throws TicketscanError `usage` for a port that cannot be had; then nothing listens */
async function listen(
  app: HttpApp,
  settings: ServerSettings,
  { certificate, metrics, log }: Beside,
): Promise<Listening> {
  const { host, port: wanted, redirectHttp } = settings;
  if (redirectHttp !== undefined && !certificate) {
    throw new TicketscanError(
      'usage',
      '--redirect-http works beside HTTPS only: add --tls-cert and --tls-key, or --tls-self-signed. A proxy in front redirects itself.',
    );
  }
  try {
    await app.listen({ host, port: wanted });
  } catch (error) {
    const message = inSentences(listenFailure(error, host, wanted));
    throw new TicketscanError('usage', message, { cause: error });
  }
  const { port } = app.server.address() as AddressInfo;
  try {
    const target = { ...settings, httpsPort: port };
    const redirects =
      redirectHttp === undefined ? undefined : await serveRedirects(redirectHttp, target, log);
    certificate?.watch(app.server);
    const metricsUrl = await metrics?.listen(app.server);
    return { port, redirects, metricsUrl };
  } catch (error) {
    await app.close();
    throw error;
  }
}
