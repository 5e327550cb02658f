import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import type { FastifyPluginAsync } from 'fastify';
import type { Logger } from 'pino';
import { temporaryKeyring } from '../../src/config/keyring-file.ts';
import { DEFAULT_LIMITS, type OrganisationLimits } from '../../src/core/limits.ts';
import { newTicket, type TicketOptions } from '../../src/core/ticket-changes.ts';
import { type Keyring, makeTicketCode } from '../../src/core/ticket-code.ts';
import { Administration } from '../../src/features/administration.ts';
import { LastGates } from '../../src/features/log/last-use.ts';
import { type Seeded, seed } from '../../src/features/seed/rules.ts';
import { SiteAgent, type SiteSettings } from '../../src/features/sites/agent.ts';
import { readProxies } from '../../src/kit/client-address.ts';
import type { DeviceFiles } from '../../src/scan/devices/device-files.ts';
import { buildApp } from '../../src/scan/http/app.ts';
import { RefusalCounter } from '../../src/scan/refusal-counter.ts';
import { ScanService } from '../../src/scan/scan-service.ts';
import { adminApi } from '../../src/serve/admin-api.ts';
import { dashboardPages, missingPage } from '../../src/serve/page.ts';
import { openStore } from '../../src/stores/open-store.ts';
import type { Store } from '../../src/stores/store.ts';
import { AN_AUDIT_ENTRY } from './an-audit-entry.ts';
import { TestClock } from './clock.ts';
import { keptLog } from './kept-log.ts';
import { PATIENTLY } from './patience.ts';
import { type Engine, HAS_THREADS, placeOf, storeFolder } from './stores.ts';

export interface TestServiceOptions {
  readonly store?: Engine;
  readonly limits?: Partial<OrganisationLimits>;
  readonly ticketsPerState?: number;
  readonly hardwareAlways200?: boolean;
  readonly deviceRetryWindowMs?: number;
  readonly requestTimeoutMs?: number;
  readonly headersTimeoutMs?: number;
  /** The value of the setting. */
  readonly trustedProxy?: string;
  readonly clock?: TestClock;
  /** How long a denial waits for the name of the gate; as long as need be when left out. */
  readonly gateWithinMs?: number;
  /** The files that describe devices. */
  readonly deviceFiles?: DeviceFiles;
  /** Makes it a site of this centre: it has its data from there, and nothing is seeded. */
  readonly site?: SiteSettings;
}

/** Tests sign in often: these take no time. */
export const CHEAP_PASSWORDS = { cost: 2, blockSize: 1, parallelization: 1 };

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests compare whatever came over the wire
  readonly json: any;
}

/** What is seeded in the store of a site. */
const NOTHING = { keys: {}, events: {}, tickets: {} } as unknown as Seeded;

/** A real server on a real store, on a free port of loopback, with a clock that the test holds. */
export class TestService implements AsyncDisposable {
  readonly url: string;
  /** Where its store is, for another session on it. */
  readonly storeUrl: string;
  readonly store: Store;
  readonly administration: Administration;
  readonly keyring: Keyring;
  readonly clock: TestClock;
  readonly seeded: Seeded;
  /** What the framework serves, such as `GET /healthz`. */
  readonly routes: readonly string[];
  /** Writes down the refused requests so far. */
  readonly writeRefusals: () => Promise<void>;
  /** Stops as the program does: what has arrived is answered. */
  readonly stop: () => Promise<void>;
  readonly #logText: () => string;
  readonly #close: () => Promise<void>;

  private constructor(
    parts: Omit<TestService, 'logs'> & { logText: () => string; close: () => Promise<void> },
  ) {
    this.url = parts.url;
    this.storeUrl = parts.storeUrl;
    this.store = parts.store;
    this.administration = parts.administration;
    this.keyring = parts.keyring;
    this.clock = parts.clock;
    this.seeded = parts.seeded;
    this.routes = parts.routes;
    this.stop = parts.stop;
    this.writeRefusals = parts.writeRefusals;
    this.#logText = parts.logText;
    this.#close = parts.close;
  }

  static async start(options: TestServiceOptions = {}): Promise<TestService> {
    const folder = storeFolder();
    const place = await placeOf(options.store ?? 'sqlite', folder);
    const store = await openStore(place.url, { inThisThread: !HAS_THREADS });
    const clock = options.clock ?? new TestClock();
    const keyring = temporaryKeyring();
    const administration = new Administration(store, clock, randomBytes);
    const { log, text } = keptLog('debug');
    const deps = { store, administration, keyring, clock, random: randomBytes };
    const { agent, seeded } = await filled(deps, log, options);
    const verifying = agent?.keyring ?? (() => keyring);
    const isTrustedProxy = readProxies(options.trustedProxy ?? '');
    const service = new ScanService({
      store,
      keyring: verifying,
      clock,
      whyNot: agent?.whyNot,
      deviceRetryWindowMs: options.deviceRetryWindowMs ?? 0,
    });
    const refusals = new RefusalCounter({ store, clock, onFailure: () => {} });
    const routes: string[] = [];
    const app = buildApp(
      {
        service,
        checkWritable: () => store.checkWritable(),
        log,
        hardwareAlways200: options.hardwareAlways200 ?? false,
        isTrustedProxy,
        countRefusal: refusals.count,
        lastGate: new LastGates(store, options.gateWithinMs ?? PATIENTLY.timeout).of,
        deviceFiles: options.deviceFiles,
      },
      {
        requestTimeoutMs: options.requestTimeoutMs ?? 5000,
        headersTimeoutMs: options.headersTimeoutMs ?? 5000,
        missingPage: missingPage(),
      },
      [
        routeCollector(routes),
        adminApi({
          store,
          service: () => service,
          keyring: verifying,
          clock,
          random: randomBytes,
          log,
          version: '0.0.0-test',
          engine: options.store ?? 'sqlite',
          testControls: false,
          passwordCost: CHEAP_PASSWORDS,
          isTrustedProxy,
          countRefusal: refusals.count,
          deviceFiles: options.deviceFiles?.names,
        }),
        dashboardPages,
      ],
    );
    await app.listen({ port: 0, host: '127.0.0.1' });
    agent?.start();
    const { port } = app.server.address() as AddressInfo;
    const stop = () => app.close();
    const close = async () => {
      app.server.closeAllConnections();
      await stop();
      await agent?.close();
      await store.close();
      await place.remove?.();
      rmSync(folder, { recursive: true, force: true });
    };
    const parts = {
      url: `http://127.0.0.1:${port}`,
      storeUrl: place.url,
      store,
      administration,
      keyring,
      clock,
      seeded,
      routes,
      writeRefusals: () => refusals.flush(),
    };
    return new TestService({ ...parts, logText: text, stop, close } as never);
  }

  get logs(): string {
    return this.#logText();
  }

  key(name: string): string {
    const value = this.seeded.keys[name];
    if (value === undefined) throw new Error(`no seeded key ${name}`);
    return value;
  }

  /** The code of a new ticket of the main event. */
  async mint(
    options: Partial<TicketOptions> = {},
    eventId = this.seeded.events.main,
  ): Promise<string> {
    const ticket = newTicket(
      { kind: 'single', eventId, ...options },
      this.clock.now(),
      randomBytes,
    );
    await this.store.insertTickets([ticket], AN_AUDIT_ENTRY);
    return makeTicketCode(ticket.id, this.keyring, 'TS1');
  }

  async post(
    path: string,
    body: string | Uint8Array<ArrayBuffer> | undefined,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const init = { method: 'POST', headers, ...(body !== undefined && { body }) };
    const response = await fetch(`${this.url}${path}`, init);
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: parsed(text) };
  }

  /** A REST scan. */
  rest(
    action: 'validate' | 'consume',
    ticketCode: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    return this.post(`/scan/${action}`, JSON.stringify({ ticketCode }), {
      'content-type': 'application/json',
      'x-api-key': this.key('rest'),
      ...headers,
    });
  }

  /** A scan by the documented controller. */
  card(action: 'validate' | 'consume', ticketCode: string, fields: object = {}): Promise<Answer> {
    const Card = Buffer.from(ticketCode).toString('base64');
    const body = JSON.stringify({ Card, Serial: 'S-1', Reader: 0, ...fields });
    return this.post(`/scan/hw/${action}?key=${this.key('hardware')}`, body);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }
}

/** Seeds the store, or lets it have its data from its centre. */
async function filled(
  deps: Parameters<typeof seed>[0] & { readonly store: Store },
  log: Logger,
  { ticketsPerState = 3, limits: given, site }: TestServiceOptions,
): Promise<{ readonly agent?: SiteAgent; readonly seeded: Seeded }> {
  if (site) {
    const agent = new SiteAgent({ ...deps, log }, site);
    await agent.begin();
    return { agent, seeded: NOTHING };
  }
  const limits = { ...DEFAULT_LIMITS, ratePerSecond: 1e6, burst: 1e6, ...given };
  return { seeded: await seed(deps, { ticketsPerState, limits }) };
}

/** Hears of every route that is registered after it; the symbol makes it part of the whole app, not of a corner. */
function routeCollector(routes: string[]): FastifyPluginAsync {
  const collect: FastifyPluginAsync = async (app) => {
    app.addHook('onRoute', ({ method, url }) => {
      // The framework adds one for each GET, with the same options.
      for (const one of [method].flat()) if (one !== 'HEAD') routes.push(`${one} ${url}`);
    });
  };
  return Object.assign(collect, { [Symbol.for('skip-override')]: true });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
