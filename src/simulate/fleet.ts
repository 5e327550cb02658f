import type { DeviceListener } from './device-events.ts';
import { SimulatedFleet } from './fleet/fleet.ts';
import type { FleetOptions } from './fleet/fleet-options.ts';
import type { RunReport } from './fleet/summary.ts';
import { Endpoint, type TlsTrust } from './network/endpoint.ts';
import { SocketTransport } from './network/socket-transport.ts';
import { RealTime } from './time.ts';

/** How a fleet reaches a real server, and what it does there. */
export interface FleetConnectOptions extends FleetOptions {
  /** The API key of a hardware integration. It appears in no event and no report. */
  readonly key: string;
  readonly tls?: TlsTrust;
  readonly onEvent?: DeviceListener;
  /** Ends the run early; the report then covers the run until then. */
  readonly signal?: AbortSignal;
}

/**
 * Many devices in real time on real connections.
 *
 * ```ts
 * const { summary } = await Fleet.run('http://127.0.0.1:8080', {
 *   key, cards, devices: 60, rate: 20, durationMs: 10_000, seed: '7',
 * });
 * ```
 */
export class Fleet extends SimulatedFleet {
  /**
   * Runs a fleet to its end.
   * @throws SimulateError `usage` for an invalid base URL or option
   */
  static async run(baseUrl: string, options: FleetConnectOptions): Promise<RunReport> {
    const { key, tls, onEvent, signal, ...plan } = options;
    const endpoint = new Endpoint({ baseUrl, key, tls });
    const time = new RealTime();
    const connect = () => new SocketTransport(endpoint, time);
    const fleet = new Fleet(plan, { time, connect, listener: onEvent });
    await new Promise<void>((resolve) => {
      signal?.addEventListener('abort', () => resolve(), { once: true });
      if (signal?.aborted) resolve();
      else fleet.start(resolve);
    });
    const report = fleet.report();
    fleet.stop();
    time.close();
    return report;
  }
}
