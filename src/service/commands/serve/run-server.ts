import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { pino } from 'pino';
import { systemClock } from '../../../config/system-clock.ts';
import { TicketscanError } from '../../../core/errors.ts';
import { withEscapedControls } from '../../../kit/safe-text.ts';
import { VERSION } from '../../../terminal/version.ts';
import { adminApi } from '../../admin/admin-api.ts';
import { dashboardPages } from '../../admin/dashboard-pages.ts';
import { missingPage } from '../../admin/missing-page.ts';
import { buildApp, type HttpApp } from '../../http/app.ts';
import type { HttpDeps } from '../../http/exchange.ts';
import { parseStoreUrl } from '../../stores/open-store.ts';
import type { Store } from '../../stores/store.ts';
import { addressesOf, chosenNames } from './addresses.ts';
import { expectShortLives } from './collector.ts';
import { keepHouse } from './housekeeping.ts';
import { metricsAddress } from './metrics-address.ts';
import { whyNotListening } from './port-owner.ts';
import { servedScans } from './scan-deps.ts';
import { ServedCertificate } from './served-certificate.ts';
import type { ServerMetrics, ServerMetricsOptions } from './server-metrics.ts';
import type { ServerSettings } from './server-settings.ts';
import { tlsFor } from './tls.ts';
import { watchedKeyring } from './watched-keyring.ts';
import { webhookNetworkFrom } from './webhook-network.ts';

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
  /** Where Prometheus reads the metrics, where they are served. */
  readonly metricsUrl: string | undefined;
  /** Stops listening, answers what has arrived, and leaves the store to its owner. */
  close(): Promise<void>;
}

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
  // Lines repeat what others sent.
  const write = (line: string) => void logTo.write(withEscapedControls(line));
  const log = pino({ level: settings.logLevel, base: null }, { write });
  const tls = await tlsFor(settings, keyringPath && dirname(keyringPath));
  const keyring = await watchedKeyring(store, keyringPath, log);
  const metrics = await metricsFrom(settings, { store, clock: systemClock, log });
  const served = await servedScans(store, keyring.current, settings, { log, metrics });
  const { deps, clock, testToken, refusals } = served;
  const certificate = tls && new ServedCertificate(tls, log);
  const strictTransport = () => certificate?.isStrictAt(settings.host) === true;
  const webhookNetwork = webhookNetworkFrom(settings);
  const { isTrustedProxy } = deps;
  const admin = { store, keyring: keyring.current, clock, log, isTrustedProxy, webhookNetwork };
  const options = { ...settings, ...(tls && { tls }), strictTransport, missingPage: missingPage() };
  const app = buildApp(deps, options, [
    adminApi({
      ...admin,
      service: () => deps.service,
      ...adminSettings(settings, tls !== undefined, deps),
    }),
    dashboardPages,
  ]);
  const beside = { certificate, metrics };
  const { port, metricsUrl } = await listen(app, settings, beside).catch((error) => {
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
    metricsUrl,
    testControls: settings.testControls === true,
    testToken,
    close: async () => {
      keyring.stop();
      certificate?.stop();
      await Promise.all([metrics?.close(), stopHousekeeping()]);
      await closeApp(app, settings.stopTimeoutMs);
      await deps.service.drained();
      await refusals.flush();
    },
  };
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

interface Listening {
  readonly port: number;
  readonly metricsUrl: string | undefined;
}

interface Beside {
  readonly certificate: ServedCertificate | undefined;
  readonly metrics: ServerMetrics | undefined;
}

/** @throws TicketscanError `usage` for a port that cannot be had; then nothing listens */
async function listen(
  app: HttpApp,
  { host, port: wanted }: ServerSettings,
  { certificate, metrics }: Beside,
): Promise<Listening> {
  try {
    await app.listen({ host, port: wanted });
  } catch (error) {
    const message = await whyNotListening(error, host, wanted);
    throw new TicketscanError('usage', message, { cause: error });
  }
  const { port } = app.server.address() as AddressInfo;
  try {
    certificate?.watch(app.server);
    const metricsUrl = await metrics?.listen(app.server);
    return { port, metricsUrl };
  } catch (error) {
    await app.close();
    throw error;
  }
}
