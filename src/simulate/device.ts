import { Random } from '../kit/random.ts';
import { cardOf } from './cards/card-label.ts';
import { readImage } from './cards/read-image.ts';
import type { DeviceListener } from './device-events.ts';
import { type DeviceOptions, deviceSettings } from './device-settings.ts';
import type { FaultKind } from './faults.ts';
import { Endpoint, type TlsTrust } from './network/endpoint.ts';
import { SocketTransport } from './network/socket-transport.ts';
import type { Card, ScanOutcome } from './scan-attempt.ts';
import { SimulatedDevice } from './simulated-device.ts';
import { RealTime } from './time.ts';

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
   * @throws SimulateError `usage` for an invalid base URL or setting
   */
  static connect(baseUrl: string, options: ConnectOptions): Device {
    const { key, serial = 'SIM00001', tls, seed = serial, onEvent, ...settings } = options;
    const endpoint = new Endpoint({ baseUrl, key, tls });
    const time = new RealTime();
    const transport = new SocketTransport(endpoint, time);
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
