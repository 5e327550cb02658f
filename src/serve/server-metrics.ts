import type { Server } from 'node:http';
import type { Logger } from 'pino';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Settings } from '../config/settings.ts';
import type { Clock } from '../core/clock.ts';
import { messageOf, TicketscanError } from '../core/errors.ts';
import { parseStoreUrl } from '../stores/open-store.ts';
import type { ScanStore, Store } from '../stores/store.ts';
import { VERSION } from '../terminal/version.ts';
import { measureHttp } from './metrics/http-metrics.ts';
import { type MetricsAddress, serveMetrics } from './metrics/metrics-listener.ts';
import { measureScans } from './metrics/scan-metrics.ts';
import { stateMetrics } from './metrics/state-metrics.ts';

/** The metrics of one server. */
export interface ServerMetrics {
  /** The store with its commits counted. */
  readonly scans: ScanStore;
  readonly countRefusedKey: () => void;
  /** Begins to measure the requests of `server`, and to answer scrapes. Resolves with the address of the metrics. */
  listen(server: Server): Promise<string>;
  close(): Promise<void>;
}

export interface ServerMetricsOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Prepares metrics, which nobody can read before `listen`. @throws TicketscanError `usage` for the gates' own port */
export function serverMetrics(
  address: MetricsAddress,
  settings: Pick<Settings, 'store' | 'port'>,
  { store, clock, log }: ServerMetricsOptions,
): ServerMetrics {
  if (address.port !== 0 && address.port === settings.port) {
    throw new TicketscanError(
      'usage',
      `--metrics must have a port of its own: ${address.port} is the port of the scan API.`,
    );
  }
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  buildInfo(registry, parseStoreUrl(settings.store).engine);
  const onFailure = (error: unknown) =>
    log.warn({ error: messageOf(error) }, 'the metrics of the store cannot be read');
  const state = stateMetrics(registry, { store, clock, onFailure });
  let close = async () => {};
  return {
    ...measureScans(registry, store),
    listen: async (server) => {
      measureHttp(server, registry);
      const listener = await serveMetrics(registry, address);
      close = () => listener.close();
      await state.start();
      return listener.url;
    },
    close: async () => {
      state.stop();
      await close();
    },
  };
}

function buildInfo(registry: Registry, engine: string): void {
  const info = new Gauge({
    name: 'ticketscan_build_info',
    help: 'Always 1; the labels say which program runs on which kind of store.',
    labelNames: ['version', 'engine', 'node'],
    registers: [registry],
  });
  info.set({ version: VERSION, engine, node: process.versions.node }, 1);
}
