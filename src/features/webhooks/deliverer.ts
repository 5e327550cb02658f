import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../core/clock.ts';
import { isConflict, messageOf, undefinedOnConflict } from '../../core/errors.ts';
import { MINUTE_MS } from '../../kit/durations.ts';
import type { Store } from '../../stores/store.ts';
import { deviceNamesOf } from '../devices/rules.ts';
import { monthsOfKeys } from '../keys/key-watches.ts';
import { newestSequence } from '../log/log-reader.ts';
import { MinuteStatistics } from '../statistics/minute-statistics.ts';
import type { Stored } from '../typed-records.ts';
import { DEFAULT_TIMING, Endpoint, type EndpointDeps, type Timing } from './endpoint.ts';
import type { Send } from './network.ts';
import { findingsOf, MANY_DENIALS, Notices } from './notices.ts';
import { listStored, readStored, type WebhookRecord, writeStored } from './webhook-records.ts';

type DelivererStore = Pick<
  Store,
  'searchLog' | 'countOutcomes' | 'list' | 'keyUses' | 'listDevices' | 'read' | 'write'
>;

export interface DelivererOptions {
  readonly store: DelivererStore;
  readonly clock: Clock;
  readonly send: Send;
  /** Names this process among those on the store. */
  readonly holder: string;
  readonly warn: EndpointDeps['warn'];
  /** Tests do not wait as long. */
  readonly timing?: Partial<Timing & Pace>;
}

/** The intervals and time limits of the deliverer. */
type Pace = Readonly<typeof DEFAULT_PACE>;
const DEFAULT_PACE = {
  pollMs: 500,
  /** The time between two polls when there is no webhook. */
  idleMs: 3000,
  leaseMs: 6000,
  watchMs: 5000,
  /** The time that devices have after a start to send a heartbeat before one counts as offline. */
  graceMs: 45_000,
  /** A stop waits at most this time for deliveries and for the store. */
  closeMs: 3000,
};

const LEASE_ID = 'deliverer';

/**
 * Delivers scans and notices to the webhooks of a store, in one of the processes that share it. It follows the log by its
 * numbers, so that scans cost no more and those of other processes are delivered too. Each poll decides the state:
 *
 * ```
 *          a webhook            the lease is free or over
 *   idle ────────────▶ standby ───────────────────────────▶ holder: endpoints deliver; after a grace
 *    ▲                    ▲  lost: the endpoints are           │     it also watches for notices
 *    │                    │  forgotten                         │
 *    │                    └────────────────────────────────────┤
 *    └──── no webhook is left: the lease is given back ────────┘
 * ```
 */
export class Deliverer {
  readonly #options: DelivererOptions;
  readonly #timing: Timing & Pace;
  readonly #lease: Lease;
  readonly #notices: Notices;
  readonly #statistics: MinuteStatistics;
  readonly #stop = new AbortController();
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #busy = new Map<string, Promise<void>>();
  #running: Promise<void> | undefined;
  #heldSinceMs: number | undefined;
  #watchedAtMs = Number.NEGATIVE_INFINITY;
  #isFailing = false;

  constructor(options: DelivererOptions) {
    const { store, clock, timing } = options;
    this.#options = options;
    this.#timing = { ...DEFAULT_TIMING, ...DEFAULT_PACE, ...timing };
    this.#lease = new Lease(options, this.#timing.leaseMs);
    this.#notices = new Notices(store);
    this.#statistics = new MinuteStatistics(store, clock);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Aborts deliveries, which are sent again later, and lets another process deliver. */
  async close(): Promise<void> {
    this.#stop.abort();
    const limit = new AbortController();
    const late = wait(this.#timing.closeMs, undefined, { signal: limit.signal }).catch(() => {});
    await Promise.race([this.#ended(), late]);
    limit.abort();
  }

  async #ended(): Promise<void> {
    await this.#running;
    await Promise.all(this.#busy.values());
    // The store may be the reason why nothing can be delivered.
    await this.#lease.release().catch(() => {});
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      let pauseMs = this.#timing.idleMs;
      try {
        pauseMs = await this.#poll();
        this.#isFailing = false;
      } catch (error) {
        this.#logFailure(error);
      }
      await wait(pauseMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  /** @returns how long to wait for the next poll */
  async #poll(): Promise<number> {
    const { store, clock } = this.#options;
    const webhooks = (await listStored(store, 'webhook')).map(({ value }) => value);
    const ids = new Set(webhooks.map(({ id }) => id));
    for (const id of this.#endpoints.keys()) if (!ids.has(id)) this.#endpoints.delete(id);
    if (webhooks.length === 0) {
      await this.#lease.release();
      return this.#timing.idleMs;
    }
    // One that ran out meanwhile is a new one: another process may have delivered, and given it back.
    if (!this.#lease.isHeld) this.#standBy();
    if (!(await this.#lease.hold())) {
      this.#standBy();
      return this.#timing.pollMs;
    }
    if (this.#heldSinceMs === undefined) {
      await this.#notices.load();
      this.#heldSinceMs = clock.monotonicMs();
    }
    await this.#watch(webhooks);
    const newest = await newestSequence(store);
    for (const webhook of webhooks) this.#startDelivery(webhook, newest);
    return this.#timing.pollMs;
  }

  #standBy(): void {
    this.#heldSinceMs = undefined;
    this.#endpoints.clear();
  }

  #startDelivery(webhook: WebhookRecord, newest: number): void {
    const endpoint = this.#endpointOf(webhook);
    endpoint.webhook = webhook;
    if (this.#busy.has(webhook.id) || !endpoint.wants(newest)) return;
    const work = endpoint
      .deliver(this.#stop.signal)
      .catch((error: unknown) => this.#logFailure(error))
      .finally(() => this.#busy.delete(webhook.id));
    this.#busy.set(webhook.id, work);
  }

  #endpointOf(webhook: WebhookRecord): Endpoint {
    const known = this.#endpoints.get(webhook.id);
    if (known) return known;
    const { store, clock, send, warn } = this.#options;
    const mayDeliver = () => this.#lease.isHeld && this.#endpoints.get(webhook.id) === made;
    const notices = (id: string) => this.#notices.of(id);
    const deps = { store, clock, send, warn, notices, timing: this.#timing, mayDeliver };
    const made: Endpoint = new Endpoint(deps, webhook);
    this.#endpoints.set(webhook.id, made);
    return made;
  }

  /** Looks for notices in every organisation that has webhooks. */
  async #watch(webhooks: readonly WebhookRecord[]): Promise<void> {
    const { clock } = this.#options;
    const { watchMs, graceMs } = this.#timing;
    const monotonicMs = clock.monotonicMs();
    if (monotonicMs - (this.#heldSinceMs ?? monotonicMs) < graceMs) return;
    if (monotonicMs - this.#watchedAtMs < watchMs) return;
    this.#watchedAtMs = monotonicMs;
    for (const organisationId of new Set(webhooks.map((one) => one.organisationId))) {
      await this.#watchOne(organisationId);
    }
  }

  async #watchOne(organisationId: string): Promise<void> {
    const { store, clock } = this.#options;
    const now = clock.now();
    const own = await store.list('key', { organisationId });
    const keys = new Map(own.map((key) => [key.id, key]));
    const months = await monthsOfKeys(store, now, organisationId);
    const { counts } = await this.#statistics.of(organisationId);
    const minute = Math.floor(now / MINUTE_MS);
    const seen = {
      now,
      keys,
      names: await deviceNamesOf(store, organisationId),
      devices: await store.listDevices(organisationId),
      months,
      gates: counts.byGate(minute - MANY_DENIALS.minutes + 1, minute),
    };
    const findings = findingsOf(seen, this.#notices.of(organisationId));
    const newest = await newestSequence(store);
    if (this.#lease.isHeld) await this.#notices.write(organisationId, findings, now, newest);
  }

  /** Logs a failure once until the next success. It is not a failure if another process delivers now. */
  #logFailure(error: unknown): void {
    if (isConflict(error) || this.#isFailing || this.#stop.signal.aborted) return;
    this.#isFailing = true;
    this.#options.warn({ error: messageOf(error) }, 'webhooks cannot be delivered now');
  }
}

/**
 * Lets one of the processes that share a store deliver. The holder renews its record; another process takes it over when
 * it has not changed for `lastsMs` on that process's own clock, so that clocks need not agree.
 */
class Lease {
  readonly #options: Pick<DelivererOptions, 'store' | 'clock' | 'holder'>;
  readonly #lastsMs: number;
  #heldUntilMs = Number.NEGATIVE_INFINITY;
  #seen: { readonly revision: number; readonly atMs: number } | undefined;

  /** @param lastsMs without a renewal; renewals come three times as often */
  constructor(options: Pick<DelivererOptions, 'store' | 'clock' | 'holder'>, lastsMs: number) {
    this.#options = options;
    this.#lastsMs = lastsMs;
  }

  /** True while no other process can have taken it. */
  get isHeld(): boolean {
    return this.#options.clock.monotonicMs() < this.#heldUntilMs;
  }

  /** Takes or renews the lease if that is possible and due. */
  async hold(): Promise<boolean> {
    const { store, clock, holder } = this.#options;
    const now = clock.monotonicMs();
    if (this.#heldUntilMs - now > (this.#lastsMs * 2) / 3) return true;
    const { revision, value } = (await readStored(store, 'webhook-lease', LEASE_ID)) ?? FREE;
    const isOfOther = value.holder !== null && value.holder !== holder;
    if (isOfOther && !this.#isOver(revision, now)) return false;
    if (!(await this.#write(revision, holder))) return false;
    // Counted from before the write: a slow write must not make it last longer than others assume.
    this.#heldUntilMs = now + this.#lastsMs;
    return true;
  }

  /** Gives it back, so that another need not wait. */
  async release(): Promise<void> {
    if (!this.isHeld) return;
    this.#heldUntilMs = Number.NEGATIVE_INFINITY;
    const found = await readStored(this.#options.store, 'webhook-lease', LEASE_ID);
    if (found) await this.#write(found.revision, null);
  }

  /** True once the record has not changed for as long as a lease lasts. */
  #isOver(revision: number, now: number): boolean {
    if (this.#seen?.revision !== revision) this.#seen = { revision, atMs: now };
    return now - this.#seen.atMs >= this.#lastsMs;
  }

  async #write(revision: number, holder: string | null): Promise<boolean> {
    const lease = { revision, value: { holder } };
    const writing = writeStored(this.#options.store, 'webhook-lease', LEASE_ID, lease);
    return (await writing.catch(undefinedOnConflict)) !== undefined;
  }
}

const FREE: Stored<{ readonly holder: string | null }> = { revision: 0, value: { holder: null } };
