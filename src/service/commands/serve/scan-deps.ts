import type { Logger } from 'pino';
import { systemClock } from '../../../config/system-clock.ts';
import { readProxies } from '../../../config/trusted-proxies.ts';
import type { Clock } from '../../../core/clock.ts';
import type { Keyring } from '../../../core/keyring.ts';
import { LastGates } from '../../../features/log/last-gates.ts';
import type { BenchDeps } from '../../../testing/test-bench.ts';
import { openDeviceFiles } from '../../devices/files/open-device-files.ts';
import type { HttpDeps } from '../../http/deps.ts';
import { RefusalCounter, type RefusedRequest } from '../../scan/refusal-counter.ts';
import { ScanService } from '../../scan/scan-service.ts';
import type { ScanStore } from '../../stores/scan-store.ts';
import type { Store } from '../../stores/store.ts';
import { warnOfMissingFiles } from './device-files.ts';
import type { ServerMetrics } from './server-metrics.ts';
import type { ServerSettings } from './server-settings.ts';

type Edge = Omit<HttpDeps, 'service' | 'testHooks'>;
interface Served {
  readonly deps: HttpDeps;
  readonly clock: Clock;
  readonly testToken: string | undefined;
}

/**
 * Builds what the scan endpoints stand on.
 * @throws TicketscanError `usage` for a device file that cannot be used
 */
export async function servedScans(
  store: Store,
  keyring: () => Keyring,
  settings: ServerSettings,
  { log, metrics }: { readonly log: Logger; readonly metrics: ServerMetrics | undefined },
): Promise<Served & { readonly refusals: RefusalCounter }> {
  const scan = { ...settings, store, keyring, clock: systemClock };
  const now = { now: () => served.clock.now() };
  const refusals = refusalCounter(store, now, log);
  const { trustedProxy } = settings;
  const edge = {
    ...{ log, isTrustedProxy: trustedProxy === undefined ? undefined : readProxies(trustedProxy) },
    ...{ countRefusal: refusalsInto(refusals, metrics), lastGate: new LastGates(store).of },
    ...(await deviceSettings(settings, store, log)),
  };
  const served = settings.testControls
    ? await underTestControls(scan, edge)
    : await plain(scan, edge, metrics?.scans);
  return { ...served, refusals };
}

/** What the scan endpoints need of the store, and what is configured about devices. */
async function deviceSettings(
  settings: ServerSettings,
  store: Store,
  log: Logger,
): Promise<Pick<HttpDeps, 'hardwareAlways200' | 'deviceFiles' | 'checkWritable'>> {
  const { hardwareAlways200 } = settings;
  const deviceFiles = await openDeviceFiles(settings.deviceFile, hardwareAlways200);
  await warnOfMissingFiles(store, deviceFiles, log);
  const checkWritable = () => store.checkWritable();
  return { checkWritable, hardwareAlways200, deviceFiles };
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
