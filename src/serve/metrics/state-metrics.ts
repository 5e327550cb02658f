import { Gauge, type Registry } from 'prom-client';
import type { Clock } from '../../core/clock.ts';
import { isOnline } from '../../core/limits.ts';
import { peopleInside } from '../../core/records.ts';
import { monthsOfKeys } from '../../features/keys/month-watch.ts';
import type { Store } from '../../stores/store.ts';

/** How often the state is read; a scrape never waits for the store. */
const READ_EVERY_MS = 15_000;

type StateStore = Pick<Store, 'list' | 'requestsInMonth' | 'listDevices' | 'listOccupancy'>;

/** Reads one part of the state into its gauges. */
type StateReader = (now: number) => Promise<void>;

interface StateMetricsOptions {
  readonly store: StateStore;
  readonly clock: Clock;
  /** Called when a reading failed. The gauges keep their values, and the time of the last reading shows their age. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Gauges of the state that all processes on a store share: devices, quotas, and what else is registered. No gauge names an
 * organisation, event, key or device: there are only totals and maxima of the whole server.
 * @returns `start` reads the state now, and every few seconds until `stop`
 */
export function stateMetrics(
  registry: Registry,
  { store, clock, onFailure }: StateMetricsOptions,
): { readonly start: () => Promise<void>; readonly stop: () => void } {
  const readers = [
    devicesReader(registry, store),
    quotaReader(registry, store),
    insideReader(registry, store),
  ];
  const readAt = new Gauge({
    name: 'ticketscan_state_read_timestamp_seconds',
    help: 'When devices, quotas and the other gauges of the store were read last (seconds since 1970 UTC).',
    registers: [registry],
  });
  const read = async () => {
    const now = clock.now();
    try {
      for (const one of readers) await one(now);
      readAt.set(now / 1000);
    } catch (error) {
      onFailure(error);
    }
  };
  let timer: NodeJS.Timeout | undefined;
  return {
    start: async () => {
      await read();
      timer = setInterval(() => void read(), READ_EVERY_MS).unref();
    },
    stop: () => clearInterval(timer),
  };
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
