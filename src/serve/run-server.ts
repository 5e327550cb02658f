import { randomBytes } from 'node:crypto';
import { existsSync, unwatchFile, watchFile } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { type Logger, pino } from 'pino';
import { addressesOf, chosenNames, whyNotListening } from '../config/addresses.ts';
import { readKeyring } from '../config/keyring-file.ts';
import type { SERVER_SETTINGS, Settings } from '../config/settings.ts';
import { systemClock } from '../config/system-clock.ts';
import { messageOf, TicketscanError } from '../core/errors.ts';
import type { Keyring } from '../core/ticket-code.ts';
import { LastGates } from '../features/log/last-use.ts';
import { openKeyring } from '../features/store/opening.ts';
import { webhookNetworkFrom } from '../features/webhooks/network.ts';
import { readProxies } from '../kit/client-address.ts';
import { withEscapedControls } from '../kit/text.ts';
import { VERSION } from '../kit/version.ts';
import type { DeviceFiles } from '../scan/devices/device-files.ts';
import { openDeviceFiles } from '../scan/devices/open-device-files.ts';
import { EdgeRefusals } from '../scan/edge-refusals.ts';
import { buildApp, type HttpApp } from '../scan/http/app.ts';
import type { HttpDeps } from '../scan/http/exchange.ts';
import { RefusalCounter } from '../scan/refusal-counter.ts';
import { ScanService } from '../scan/scan-service.ts';
import { parseStoreUrl } from '../stores/open-store.ts';
import type { RecordStore } from '../stores/record-store.ts';
import type { ScanStore, Store } from '../stores/store.ts';
import { adminApi } from './admin-api.ts';
import { startBackgroundJobs } from './background-jobs.ts';
import { ServedCertificate, tlsFor } from './certificate.ts';
import type { ServerMetrics, ServerMetricsOptions } from './metrics.ts';
import { metricsAddress } from './metrics-listener.ts';
import { dashboardPages, missingPage } from './page.ts';
import type { EndpointDeps, ScanDeps, ServedScans, Stage } from './stage.ts';

export interface ServerSettings extends Pick<Settings, (typeof SERVER_SETTINGS)[number] | 'store'> {
  /** Lets tests drive the server (docs/testing/testing.md); undefined for a server at a gate. */
  readonly stage?: Stage | undefined;
  /** Given at a site: follows its centre. */
  readonly site?: SiteConnection | undefined;
}

/** How a site is with its centre, which serving it needs. */
interface SiteConnection {
  /** The keys that verify codes, as the centre had them last. */
  readonly keyring: () => Keyring;
  /** Why the gates stand still; undefined while they do not. */
  readonly whyNot: () => string | undefined;
}

export interface RunningServer {
  /** An address that can be opened on this machine. */
  readonly url: string;
  readonly testControls: boolean;
  /** The token of the test controls; undefined without them, and if the operator gave it, because a given secret is not shown. */
  readonly testToken: string | undefined;
  /** All addresses, including those for other machines. */
  readonly urls: readonly string[];
  /** The address for browsers and devices: the one that was set, else one for other machines if there is one. */
  readonly publicUrl: string;
  /** The certificate; undefined over plain HTTP. */
  readonly certificate: ServedCertificate | undefined;
  /** The address of the metrics, if they are served. */
  readonly metricsUrl: string | undefined;
  /** Stops listening, answers what has arrived, and leaves the store to its owner. */
  close(): Promise<void>;
}

/**
 * Serves the scan API on a store.
 * @param keyringPath undefined keeps the keyring in memory
 * @throws TicketscanError `usage` for an address at which it cannot listen, and what `openKeyring` and `tlsFor` throw
 */
export async function runServer(
  store: Store,
  keyringPath: string | undefined,
  settings: ServerSettings,
  logTo: NodeJS.WritableStream,
): Promise<RunningServer> {
  disablePretenuring();
  // Lines of the log contain text that clients sent.
  const write = (line: string) => void logTo.write(withEscapedControls(line));
  const log = pino({ level: settings.logLevel, base: null }, { write });
  if (store.notice !== undefined) log.warn(store.notice);
  store.tellOperator?.((logLevel, text) => log[logLevel](text));
  const tls = await tlsFor(settings, keyringPath && dirname(keyringPath));
  const keyring = await keyringOf(store, keyringPath, settings, log);
  const metrics = await metricsFrom(settings, { store, clock: systemClock, log });
  const served = await servedScans(store, keyring.current, settings, { log, metrics });
  const { deps, clock, testToken, refusals } = served;
  const certificate = tls && new ServedCertificate(tls, log);
  const strictTransport = () => certificate?.isStrictAt(settings.host) === true;
  const webhookNetwork = webhookNetworkFrom(settings, (facts) =>
    log.warn(facts, 'a webhook leads to an address that gets no message'),
  );
  const { isTrustedProxy, countRefusal } = deps;
  const shared = { store, clock, log, isTrustedProxy, countRefusal, webhookNetwork };
  const options = { ...settings, ...(tls && { tls }), strictTransport, missingPage: missingPage() };
  const app = buildApp(deps, options, [
    adminApi({
      ...shared,
      keyring: keyring.current,
      service: () => deps.service,
      ...adminSettings(settings, tls !== undefined, deps),
    }),
    dashboardPages,
  ]);
  const edge = new EdgeRefusals(log, countRefusal);
  const listening = listen(app, settings, { certificate, metrics, edge });
  const { port, metricsUrl } = await listening.catch((error) => {
    keyring.stop();
    throw error;
  });
  const urls = addressesOf(settings.host, port, tls !== undefined, chosenNames(settings));
  const stopBackgroundJobs = startBackgroundJobs({ store, clock, log }, settings, webhookNetwork);
  return {
    url: urls[0],
    urls,
    publicUrl: settings.baseUrl ?? urls[1] ?? urls[0],
    certificate,
    metricsUrl,
    testControls: settings.stage?.testControls === true,
    testToken,
    close: async () => {
      keyring.stop();
      certificate?.stop();
      await Promise.all([metrics?.close(), stopBackgroundJobs()]);
      await closeApp(app, settings.stopTimeoutMs);
      await deps.service.drained();
      await refusals.flush();
    },
  };
}

/** Answers the requests that have arrived. After `stopTimeoutMs` it closes the connections of the others. */
async function closeApp(app: HttpApp, stopTimeoutMs: number): Promise<void> {
  const cutOff = setTimeout(() => app.server.closeAllConnections(), stopTimeoutMs);
  await app.close();
  clearTimeout(cutOff);
}

function adminSettings(
  { store, stage, baseUrl, tlsElsewhere, keepHoldersDays }: ServerSettings,
  isTls: boolean,
  { deviceFiles }: HttpDeps,
) {
  return {
    deviceFiles: deviceFiles?.names,
    random: randomBytes,
    version: VERSION,
    engine: parseStoreUrl(store).engine,
    testControls: stage?.testControls === true,
    keepHoldersDays,
    baseUrl,
    isHttps: isTls || tlsElsewhere,
  };
}

/** Loads the code of metrics only if they are served. */
async function metricsFrom(
  settings: ServerSettings,
  options: ServerMetricsOptions,
): Promise<ServerMetrics | undefined> {
  const address = metricsAddress(settings);
  if (!address) return undefined;
  const { serverMetrics } = await import('./metrics.ts');
  return serverMetrics(address, settings, options);
}

interface ListenParts {
  readonly certificate: ServedCertificate | undefined;
  readonly metrics: ServerMetrics | undefined;
  /** Gets the refusals of the metrics listener. */
  readonly edge: EdgeRefusals;
}

/** @throws TicketscanError `usage` for a port at which it cannot listen; then nothing listens */
async function listen(
  app: HttpApp,
  { host, port: wanted }: ServerSettings,
  { certificate, metrics, edge }: ListenParts,
): Promise<{ port: number; metricsUrl: string | undefined }> {
  try {
    await app.listen({ host, port: wanted });
  } catch (error) {
    const message = await whyNotListening(error, host, wanted);
    throw new TicketscanError('usage', message, { cause: error });
  }
  const { port } = app.server.address() as AddressInfo;
  try {
    certificate?.watch(app.server);
    return { port, metricsUrl: await metrics?.listen(app.server, edge) };
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** The keys that verify codes: those of a file, or those that the centre of a site has. */
function keyringOf(
  store: Store,
  path: string | undefined,
  { site }: ServerSettings,
  log: Logger,
): ReturnType<typeof watchedKeyring> {
  if (!site) return watchedKeyring(store, path, log);
  return Promise.resolve({ current: site.keyring, stop: () => undefined });
}

const KEYRING_WATCH_MS = 1000;

/** Reads the keyring again when its file changes, because another process may rotate or retire a key. */
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

/**
 * Tells V8 not to put new objects of a kind into the old generation because earlier objects of that kind stayed. While a server starts,
 * all objects stay. Later, the objects of a request die at once. If V8 put them into the old generation, this would cost a quarter of the speed.
 */
function disablePretenuring(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}

/**
 * Builds the parts that the scan endpoints use.
 * @throws TicketscanError `usage` for a device file that cannot be used
 */
async function servedScans(
  store: Store,
  keyring: () => Keyring,
  settings: ServerSettings,
  { log, metrics }: { readonly log: Logger; readonly metrics: ServerMetrics | undefined },
): Promise<ServedScans & { readonly refusals: RefusalCounter }> {
  const { deviceRetryWindowMs, trustedProxy, deviceFile, hardwareAlways200, stage } = settings;
  const whyNot = settings.site?.whyNot;
  const scan: ScanDeps = { store, keyring, clock: systemClock, deviceRetryWindowMs, whyNot };
  const refusals = new RefusalCounter({
    store,
    clock: { now: () => served.clock.now() },
    onFailure: (error) =>
      log.warn(
        { error },
        'refused requests could not be written down; they are kept until they can',
      ),
  });
  const deviceFiles = await openDeviceFiles(deviceFile, hardwareAlways200);
  await warnOfMissingFiles(store, deviceFiles, log);
  const endpoints: EndpointDeps = {
    log,
    hardwareAlways200,
    deviceFiles,
    isTrustedProxy: trustedProxy === undefined ? undefined : readProxies(trustedProxy),
    checkWritable: () => store.checkWritable(),
    lastGate: new LastGates(store).of,
    countRefusal: (refused) => {
      refusals.count(refused);
      if ('reason' in refused) metrics?.countRefused(refused.reason);
      else if (refused.limit === undefined) metrics?.countRefusedKey();
    },
  };
  const plain = () => plainScans(scan, endpoints, metrics?.scans);
  const served = stage ? await stage.build(scan, endpoints, plain) : plain();
  return { ...served, refusals };
}

/** @param measured the store that counts its commits, if somebody reads the counts */
function plainScans(
  scan: ScanDeps,
  endpoints: EndpointDeps,
  measured: ScanStore | undefined,
): ServedScans {
  const findKeyByHash = (hash: string) => scan.store.findKeyByHash(hash);
  const store = measured ? { ...measured, findKeyByHash } : scan.store;
  const service = new ScanService({ ...scan, store });
  return { deps: { ...endpoints, service }, clock: systemClock, testToken: undefined };
}

/**
 * Warns in the log of keys whose device file this server was not given: only the known models can read their devices. It is not an error,
 * because another server on the same store may have the file.
 */
async function warnOfMissingFiles(
  store: Pick<RecordStore, 'list'>,
  files: DeviceFiles | undefined,
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  for (const { id, name, device, active } of await store.list('key')) {
    if (device === undefined || !active || files?.named(device)) continue;
    log.warn(
      { keyId: id, key: name, device },
      'this key has a device file that the server was not given: its devices are not understood. Add --device-file, or take it from the key with keys edit --device none',
    );
  }
}
