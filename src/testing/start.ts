import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { temporaryKeyring } from '../config/keyring-file.ts';
import { systemClock } from '../config/system-clock.ts';
import { LastGates } from '../features/log/last-use.ts';
import type { DeviceFiles } from '../scan/devices/device-files.ts';
import { openDeviceFiles } from '../scan/devices/open-device-files.ts';
import { type AppOptions, buildApp, type HttpApp } from '../scan/http/app.ts';
import { openStore } from '../stores/open-store.ts';
import type { Store } from '../stores/store.ts';
import type { Sample, SeedOptions, TicketState, TicketscanService } from './controls.ts';
import { hooksOf } from './remote/control-routes.ts';
import { parseOptions, VaryOptionsSchema } from './remote/schemas.ts';
import { NO_TICKETS, TicketPool } from './sample.ts';
import { type BenchDeps, TestBench } from './test-bench.ts';
import type { VariationName, VaryOptions } from './vary/variations.ts';

/** How the service starts: its sample, and how devices are answered. */
export interface StartOptions extends Partial<SeedOptions> {
  /** Answers devices with HTTP 200 whatever the decision. */
  readonly hardwareAlways200?: boolean | undefined;
  /**
   * A device that posts the same card again within this time gets its first answer again, milliseconds; 0, the
   * default, is off.
   */
  readonly deviceRetryWindowMs?: number | undefined;
  /** Device files to load: paths of files and folders, or names of those that come with ticketscan. `devices` binds keys to them. */
  readonly deviceFiles?: readonly string[] | undefined;
  /**
   * A seed: answers then differ from the usual ones in ways that the specification allows (docs/testing/testing.md), in the same way each
   * time, request by request. `only` limits the differences.
   */
  readonly vary?:
    | number
    | { readonly seed: number; readonly only?: readonly VariationName[] | undefined }
    | undefined;
}

/**
 * Starts a scan service of your own in this process, on a free port of loopback, with its data in memory.
 *
 * ```ts
 * await using service = await startTicketscan({ seed: 'all-states' });
 * await fetch(`${service.url}/scan/consume`, …)
 * ```
 * @throws TicketscanError `usage` for options that do not fit
 */
export async function startTicketscan(options: StartOptions = {}): Promise<TicketscanService> {
  const {
    hardwareAlways200 = false,
    deviceRetryWindowMs = 0,
    deviceFiles: paths,
    vary,
    ...sample
  } = options;
  const given = varyOptions(vary);
  const varied = given && { ...given, hardwareAlways200 };
  const deviceFiles = await openDeviceFiles(paths, hardwareAlways200);
  const store = await openStore('memory:');
  const service = new OwnService({ store, deviceRetryWindowMs, vary: varied, deviceFiles });
  await service.reset({ seed: 'all-states', ...sample });
  await service.listen(hardwareAlways200);
  return service;
}

function varyOptions(vary: StartOptions['vary']): VaryOptions | undefined {
  if (vary === undefined) return undefined;
  return parseOptions(VaryOptionsSchema, typeof vary === 'number' ? { seed: vary } : vary);
}

const TIMEOUTS: AppOptions = { requestTimeoutMs: 10_000, headersTimeoutMs: 5000 };

class OwnService extends TestBench implements TicketscanService {
  readonly #store: Store;
  readonly #deviceFiles: DeviceFiles | undefined;
  readonly #lastGate: LastGates;
  #app: HttpApp | undefined;
  #url = '';
  #pool = new TicketPool(NO_TICKETS);

  constructor({
    store,
    deviceFiles,
    ...options
  }: Pick<BenchDeps, 'store' | 'deviceRetryWindowMs' | 'vary'> & {
    readonly deviceFiles: DeviceFiles | undefined;
  }) {
    const keyring = temporaryKeyring();
    const files = deviceFiles?.names;
    super({ store, keyring: () => keyring, clock: systemClock, ...options, deviceFiles: files });
    this.#store = store;
    this.#deviceFiles = deviceFiles;
    this.#lastGate = new LastGates(store);
  }

  async listen(hardwareAlways200: boolean): Promise<void> {
    const deps = {
      checkWritable: async () => {},
      log: pino({ level: 'silent' }),
      hardwareAlways200,
      deviceFiles: this.#deviceFiles,
      lastGate: this.#lastGate.of,
    };
    const app = buildApp(hooksOf(this, deps), TIMEOUTS);
    this.#app = app;
    await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.server.address() as AddressInfo;
    this.#url = `http://127.0.0.1:${port}`;
  }

  get url(): string {
    return this.#url;
  }

  get events(): Sample['events'] {
    return this.seeded.events;
  }

  get keys(): Sample['keys'] {
    return this.seeded.keys;
  }

  get tickets(): Sample['tickets'] {
    return this.seeded.tickets;
  }

  ticket(state: TicketState): string {
    return this.#pool.take(state);
  }

  override async reset(sample?: SeedOptions): Promise<void> {
    await super.reset(sample);
    this.#pool = new TicketPool(this.tickets);
  }

  async close(): Promise<void> {
    this.letGo();
    this.#app?.server.closeAllConnections();
    await this.#app?.close();
    await this.#store.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
