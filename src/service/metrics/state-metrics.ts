import { Gauge, type Registry } from 'prom-client';
import type { Clock } from '../../core/clock.ts';
import { isOnline } from '../../core/limits.ts';
import { peopleInside } from '../../core/records.ts';
import { monthsOfKeys } from '../manage/month-watch.ts';
import type { Store } from '../stores/store.ts';

/** How often the state is read; a scrape never waits for the store. */
const READ_EVERY_MS = 15_000;

type StateStore = Pick<Store, 'list' | 'requestsInMonth' | 'listDevices' | 'listOccupancy'>;

/** What reads one part of the state into its gauges. */
export type StateReader = (now: number) => Promise<void>;

export interface StateMetricsOptions {
  readonly store: StateStore;
  readonly clock: Clock;
  /** Told of a reading that failed; the gauges keep their values, and the time of the last reading tells their age. */
  readonly onFailure: (error: unknown) => void;
}

/** Gauges of the state that all processes on a store share: devices, quotas, and what else is registered. */
export class StateMetrics {
  readonly #options: StateMetricsOptions;
  readonly #readers: StateReader[];
  readonly #readAt: Gauge;
  #timer: NodeJS.Timeout | undefined;

  /** No gauge names an organisation, event, key or device: there are only totals and maxima of the whole server. */
  constructor(registry: Registry, options: StateMetricsOptions) {
    this.#options = options;
    const { store } = options;
    this.#readers = [
      devicesReader(registry, store),
      quotaReader(registry, store),
      insideReader(registry, store),
    ];
    this.#readAt = new Gauge({
      name: 'ticketscan_state_read_timestamp_seconds',
      help: 'When devices, quotas and the other gauges of the store were read last (seconds since 1970 UTC).',
      registers: [registry],
    });
  }

  /** Reads the state now, and every few seconds until `stop`. */
  async start(): Promise<void> {
    await this.#read();
    this.#timer = setInterval(() => void this.#read(), READ_EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #read(): Promise<void> {
    const now = this.#options.clock.now();
    try {
      for (const read of this.#readers) await read(now);
      this.#readAt.set(now / 1000);
    } catch (error) {
      this.#options.onFailure(error);
    }
  }
}

function insideReader(registry: Registry, store: StateStore): StateReader {
  const inside = new Gauge({
    name: 'ticketscan_people_inside',
    help: 'People inside all events: grants inwards less grants outwards since the last reset of each event.',
    registers: [registry],
  });
  return async () => {
    const events = await store.listOccupancy();
    inside.set(events.reduce((sum, one) => sum + peopleInside(one), 0));
  };
}

function devicesReader(registry: Registry, store: StateStore): StateReader {
  const devices = new Gauge({
    name: 'ticketscan_devices',
    help: 'Devices that have sent a heartbeat, by whether the last one is recent.',
    labelNames: ['state'],
    registers: [registry],
  });
  return async (now) => {
    let online = 0;
    let offline = 0;
    for (const { id } of await store.list('organisation')) {
      for (const { lastContactAt } of await store.listDevices(id)) {
        if (isOnline(lastContactAt, now)) online += 1;
        else offline += 1;
      }
    }
    devices.set({ state: 'online' }, online);
    devices.set({ state: 'offline' }, offline);
  };
}

function quotaReader(registry: Registry, store: StateStore): StateReader {
  const used = new Gauge({
    name: 'ticketscan_quota_used_ratio_max',
    help: 'The highest share of its monthly quota that any key has used; at 1 its scans are refused.',
    registers: [registry],
  });
  return async (now) => {
    const shares = (await monthsOfKeys(store, now)).map(({ requestsInMonth, quotaPerMonth }) =>
      quotaPerMonth > 0 ? requestsInMonth / quotaPerMonth : 1,
    );
    used.set(Math.max(0, ...shares));
  };
}
