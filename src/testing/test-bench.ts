import { randomBytes } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { TicketscanError } from '../core/errors.ts';
import type { Keyring } from '../core/ticket-code.ts';
import type { Endpoint, ServedEndpoint } from '../scan/http/exchange.ts';
import type { ScanService } from '../scan/scan-service.ts';
import type { Store } from '../stores/store.ts';
import { ControlledClock, durationMs, timeMs, withTimesInMs } from './clock.ts';
import type {
  ClockState,
  Duration,
  Fault,
  FaultRule,
  MadeTicket,
  RecordedExchange,
  RequestFilter,
  Sample,
  SeedOptions,
  Snapshot,
  TestControls,
  TicketRequest,
  Time,
} from './controls.ts';
import { ExchangeLog, watchExchanges } from './exchanges/exchange-log.ts';
import { ExplainingQueue, ObservedService } from './exchanges/observed-service.ts';
import { stagedEndpoint } from './exchanges/staged-endpoint.ts';
import { FaultRules, faultFromRule, ticketIdOf } from './faults/faults.ts';
import {
  FaultRuleSchema,
  parseOptions,
  RequestFilterSchema,
  SeedOptionsSchema,
  TicketRequestSchema,
} from './remote/schemas.ts';
import { makeSample, makeTicket } from './sample.ts';
import { Savepoints, Snapshots } from './savepoints.ts';
import { Variations, type VaryOptions } from './vary/variations.ts';

export interface BenchDeps {
  readonly store: Store;
  readonly keyring: () => Keyring;
  /** The clock that the controls move away from. */
  readonly clock: Clock;
  readonly deviceRetryWindowMs: number;
  /** A token that the operator sets is accepted from every machine. Without it, the server makes a random one. */
  readonly testToken?: string | undefined;
  /** The names of the device files that keys can be bound to; none without it. */
  readonly deviceFiles?: readonly string[] | undefined;
  /** Legal differences in the answers; none without it. */
  readonly vary?: VaryOptions | undefined;
}

/** A service that a test controls: its clock, its data, its faults and a record of its requests. */
export class TestBench implements TestControls {
  readonly clockInHand: ControlledClock;
  /** The token without which the controls do not exist over HTTP: the one that was given, or 128 random bits of this run alone. */
  readonly testToken: string;
  /** Whether programs on other machines may use the controls. */
  readonly isForOthers: boolean;
  readonly #deps: BenchDeps;
  readonly #faults = new FaultRules();
  readonly #exchanges = new ExchangeLog();
  readonly #snapshots = new Snapshots();
  readonly #variations: Variations | undefined;
  readonly #closing = new AbortController();
  #curtain = new AbortController();
  #queue: ExplainingQueue;
  #service: ScanService;
  #sample: Sample | null = null;
  readonly #savepoints: Savepoints;

  constructor(deps: BenchDeps) {
    this.#deps = deps;
    this.testToken = deps.testToken ?? randomBytes(16).toString('base64url');
    this.isForOthers = deps.testToken !== undefined;
    this.#variations = deps.vary && new Variations(deps.vary);
    this.clockInHand = new ControlledClock(deps.clock);
    this.#savepoints = new Savepoints(deps.store);
    [this.#service, this.#queue] = this.#newService();
  }

  /** Whether answers differ from what the service usually sends. */
  get varies(): boolean {
    return this.#variations !== undefined;
  }

  /** The service of the moment: a reset puts another in its place. */
  get service(): ScanService {
    return this.#service;
  }

  /** What the last seed made; null before. */
  get sample(): Sample | null {
    return this.#sample;
  }

  /** @throws TicketscanError `usage` where nothing was seeded */
  get seeded(): Sample {
    if (this.#sample) return this.#sample;
    throw new TicketscanError('usage', 'No sample exists yet: reset with a seed first.');
  }

  /** Puts the controls around an endpoint of the HTTP layer, which serves the result in its place. */
  around(path: string, endpoint: Endpoint): ServedEndpoint {
    return stagedEndpoint(path, endpoint, {
      store: this.#deps.store,
      clock: this.clockInHand,
      faults: this.#faults,
      variations: this.#variations,
      exchanges: this.#exchanges,
      curtain: () => this.#curtain.signal,
    });
  }

  async reset(options?: SeedOptions): Promise<void> {
    const checked = parseOptions(SeedOptionsSchema.optional(), options);
    this.#expectFiles(checked?.devices);
    const way = await (checked ? this.#savepoints.toNothing() : this.#savepoints.toBeginning());
    await this.#beginAnew(way, () => this.clockInHand.reset());
    this.#faults.clear();
    this.#variations?.reset();
    this.#exchanges.clear();
    this.#snapshots.clear();
    if (checked) await this.#seed(checked);
  }

  snapshot(): Promise<Snapshot> {
    return this.#queue.exclusive(async () => {
      const data = await this.#savepoints.toHere();
      const clock = this.clockInHand.takeSnapshot();
      return this.#snapshots.add(async () => {
        await data();
        clock();
      });
    });
  }

  async restore(snapshot: Snapshot): Promise<void> {
    await this.#beginAnew(this.#snapshots.find(snapshot));
  }

  async clock(): Promise<ClockState> {
    return this.clockInHand.state();
  }

  async setClock(time: Time): Promise<ClockState> {
    this.clockInHand.set(timeMs(time));
    return this.clockInHand.state();
  }

  async advance(duration: Duration): Promise<ClockState> {
    const ms = durationMs(duration);
    // The time that it leads to must be one.
    timeMs(this.clockInHand.now() + ms);
    this.clockInHand.advance(ms);
    return this.clockInHand.state();
  }

  async freezeClock(time?: Time): Promise<ClockState> {
    this.clockInHand.freeze(time === undefined ? undefined : timeMs(time));
    return this.clockInHand.state();
  }

  async resumeClock(): Promise<ClockState> {
    this.clockInHand.resume();
    return this.clockInHand.state();
  }

  async fail(rule: FaultRule): Promise<Fault> {
    const checked = parseOptions(FaultRuleSchema, rule);
    return this.#faults.add(await faultFromRule(this.#deps.store, checked));
  }

  async faults(): Promise<readonly Fault[]> {
    return this.#faults.list();
  }

  async clearFaults(id?: string): Promise<void> {
    if (!this.#faults.clear(id)) {
      throw new TicketscanError('not_found', `Unknown fault "${id}"; it may have ended.`);
    }
  }

  async requests(filter: RequestFilter = {}): Promise<readonly RecordedExchange[]> {
    const { last, endpoint, ticket } = parseOptions(RequestFilterSchema, filter);
    const ticketId = ticket === undefined ? undefined : ticketIdOf(ticket);
    const found = this.#exchanges
      .list()
      .filter((one) => endpoint === undefined || one.endpoint === endpoint)
      .filter((one) => ticketId === undefined || one.ticketId === ticketId);
    return last === undefined ? found : found.slice(-last);
  }

  watchRequests(signal?: AbortSignal): AsyncIterable<RecordedExchange> {
    const closing = this.#closing.signal;
    return watchExchanges(this.#exchanges, signal ? AbortSignal.any([signal, closing]) : closing);
  }

  async mint(request: TicketRequest = {}): Promise<MadeTicket> {
    const { store, keyring } = this.#deps;
    const checked = parseOptions(TicketRequestSchema, withTimesInMs(request));
    const main = this.#sample?.events.main;
    return makeTicket(store, keyring(), checked, main, this.clockInHand.now());
  }

  /** Breaks off what a fault holds back and ends every watch; the server can then close. */
  letGo(): void {
    this.#curtain.abort();
    this.#closing.abort();
  }

  /** @throws TicketscanError `usage` */
  #expectFiles(devices: SeedOptions['devices']): void {
    const { deviceFiles = [] } = this.#deps;
    for (const bound of Object.values(devices ?? {})) {
      if (!bound || deviceFiles.includes(bound.file)) continue;
      const known = deviceFiles.length === 0 ? 'none' : deviceFiles.join(', ');
      throw new TicketscanError(
        'usage',
        `The service has no device file "${bound.file}"; it was started with: ${known}.`,
      );
    }
  }

  async #seed(options: SeedOptions): Promise<void> {
    const { store, keyring } = this.#deps;
    this.#sample = await makeSample(store, keyring(), this.clockInHand, options);
    await this.#savepoints.beginHere();
  }

  /** Breaks off what is held back, lets what is under way end, then changes data and clock under a new service. */
  async #beginAnew(...changes: (() => void | Promise<void>)[]): Promise<void> {
    this.#curtain.abort();
    this.#curtain = new AbortController();
    await this.#queue.exclusive(async () => {
      for (const change of changes) await change();
      [this.#service, this.#queue] = this.#newService();
    });
  }

  /** Makes a service without keys in its cache, and with full buckets. */
  #newService(): [ScanService, ExplainingQueue] {
    const { store, keyring, deviceRetryWindowMs } = this.#deps;
    let made: ExplainingQueue | undefined;
    const queue = (onRevision: (revision: number) => void) => {
      made = new ExplainingQueue(store, keyring, onRevision);
      return made;
    };
    const service = new ObservedService({
      store,
      keyring,
      clock: this.clockInHand,
      deviceRetryWindowMs,
      queue,
    });
    if (!made) throw new Error('the service made no queue');
    return [service, made];
  }
}
