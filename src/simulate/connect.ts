import { Random } from '../kit/random.ts';
import { cardOf } from './cards/card-file.ts';
import { readImage } from './cards/read-image.ts';
import type { Card, DeviceListener, ScanOutcome } from './device-events.ts';
import { type DeviceOptions, deviceSettings } from './device-settings.ts';
import { type FleetOptions, SimulatedFleet } from './fleet/fleet.ts';
import type { RunReport } from './fleet/statistics.ts';
import { Endpoint, type TlsTrust } from './network/endpoint.ts';
import { SocketWire } from './network/socket-wire.ts';
import { SimulatedDevice } from './simulated-device.ts';
import { RealTime } from './time.ts';
import { type FaultKind, faulty } from './wire.ts';

/** How a device reaches a real server, and how it is set up. */
export interface ConnectOptions extends DeviceOptions {
  /** The API key of a hardware integration. It appears in no event. */
  readonly key: string;
  readonly serial?: string;
  readonly tls?: TlsTrust;
  readonly seed?: string;
  readonly onEvent?: DeviceListener;
}

/**
 * A device in real time on real connections, for tests and demonstrations.
 *
 * ```ts
 * await using device = Device.connect('http://127.0.0.1:8080', { key });
 * const outcome = await device.scan(code);
 * ```
 */
export class Device extends SimulatedDevice {
  #time: RealTime | undefined;

  /**
   * A device that is switched on and posts to the server at `baseUrl`.
   * @throws SimulateError for an invalid base URL or setting
   */
  static connect(baseUrl: string, options: ConnectOptions): Device {
    const { key, serial = 'SIM00001', tls, seed = serial, onEvent, ...settings } = options;
    const endpoint = new Endpoint({ baseUrl, key, tls });
    const time = new RealTime();
    const transport = faulty(new SocketWire(endpoint, time), time);
    const world = { time, transport, random: new Random(seed), listener: onEvent };
    const device = new Device(serial, deviceSettings(settings), world);
    device.#time = time;
    device.powerOn();
    return device;
  }

  /**
   * Holds a card in front of the reader and waits for the outcome.
   * @param card a ticket code, or a card
   * @returns undefined when the device ignores the card: it is off, busy, or has just posted this card
   */
  scan(card: string | Card, fault?: FaultKind): Promise<ScanOutcome | undefined> {
    return new Promise((resolve) => {
      const presented = typeof card === 'string' ? cardOf(card) : card;
      const heeded = this.present({ card: presented, fault, done: resolve });
      if (!heeded) resolve(undefined);
    });
  }

  /** Reads the QR code of a PNG or JPEG file and scans it. */
  async scanImage(path: string, fault?: FaultKind): Promise<ScanOutcome | undefined> {
    return this.scan(await readImage(path), fault);
  }

  /** Releases timers and connections. */
  override close(): void {
    super.close();
    this.#time?.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }
}

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
   * @throws SimulateError for an invalid base URL or option
   */
  static async run(baseUrl: string, options: FleetConnectOptions): Promise<RunReport> {
    const { key, tls, onEvent, signal, ...plan } = options;
    const endpoint = new Endpoint({ baseUrl, key, tls });
    const time = new RealTime();
    const connect = () => faulty(new SocketWire(endpoint, time), time);
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
