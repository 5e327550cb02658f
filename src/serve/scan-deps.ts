import type { Logger } from 'pino';
import { systemClock } from '../config/system-clock.ts';
import type { Clock } from '../core/clock.ts';
import type { Keyring } from '../core/keyring.ts';
import { LastGates } from '../features/log/last-gates.ts';
import { readProxies } from '../kit/client-address.ts';
import type { DeviceFiles } from '../scan/devices/device-files.ts';
import { openDeviceFiles } from '../scan/devices/open-device-files.ts';
import type { HttpDeps } from '../scan/http/exchange.ts';
import { RefusalCounter } from '../scan/refusals.ts';
import { ScanService } from '../scan/scan-service.ts';
import type { RecordStore } from '../stores/record-store.ts';
import type { ScanStore, Store } from '../stores/store.ts';
import type { BenchDeps } from '../testing/test-bench.ts';
import type { ServerMetrics } from './server-metrics.ts';
import type { ServerSettings } from './server-settings.ts';

type Edge = Omit<HttpDeps, 'service' | 'testHooks'>;
interface Served {
  readonly deps: HttpDeps;
  readonly clock: Clock;
  readonly testToken: string | undefined;
}

/**
 * Builds the parts that the scan endpoints use.
 * @throws TicketscanError `usage` for a device file that cannot be used
 */
export async function servedScans(
  store: Store,
  keyring: () => Keyring,
  settings: ServerSettings,
  { log, metrics }: { readonly log: Logger; readonly metrics: ServerMetrics | undefined },
): Promise<Served & { readonly refusals: RefusalCounter }> {
  const scan = { ...settings, store, keyring, clock: systemClock };
  const { trustedProxy, deviceFile, hardwareAlways200 } = settings;
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
  const edge: Edge = {
    log,
    hardwareAlways200,
    deviceFiles,
    isTrustedProxy: trustedProxy === undefined ? undefined : readProxies(trustedProxy),
    checkWritable: () => store.checkWritable(),
    lastGate: new LastGates(store).of,
    countRefusal: (refused) => {
      refusals.count(refused);
      if (refused.limit === undefined) metrics?.countRefusedKey();
    },
  };
  const served = settings.testControls
    ? await underTestControls(scan, edge)
    : await plain(scan, edge, metrics?.scans);
  return { ...served, refusals };
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
  // Loaded only for tests, as the test controls: no other server has it in its memory.
  const { varied } = await import('../testing/vary/varied-endpoint.ts');
  return { ...served, deps: varied(deps, scan.vary) };
}

/** Their code is loaded here only: a server without test controls has none of it in its memory. */
async function underTestControls(scan: BenchDeps, edge: Edge): Promise<Served> {
  const [{ TestBench }, { hooksOf }] = await Promise.all([
    import('../testing/test-bench.ts'),
    import('../testing/hooks.ts'),
  ]);
  const bench = new TestBench({ ...scan, deviceFiles: edge.deviceFiles?.names });
  const testToken = scan.testToken === undefined ? bench.testToken : undefined;
  return { deps: hooksOf(bench, edge), clock: bench.clockInHand, testToken };
}

/**
 * Warns in the log of keys whose device file this server was not given: their devices are read by the known models only. Another
 * server on the same store may have it, so it is no error.
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
