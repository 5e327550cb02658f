import type { DeviceEvent } from '../device-events.ts';

/** The visible state of a device. */
export interface DevicePicture {
  readonly serial: string;
  lamp: 'off' | 'dark' | 'yellow' | 'green' | 'red';
  online: boolean;
  networkUp: boolean;
  /** The relay that is on, or undefined while the door is closed. */
  relay: string | undefined;
  name: string;
  note: string;
  latencyMs: number | undefined;
  scans: number;
  /** The newest first. */
  readonly last: string[];
}

const LAST_ANSWERS = 3;

/** The devices as they stand after the events so far. */
export class LiveState {
  readonly #devices = new Map<string, DevicePicture>();
  readonly totals = { granted: 0, denied: 0, errors: 0, timeouts: 0, lost: 0 };
  /** Milliseconds since the start. */
  nowMs = 0;

  get devices(): readonly DevicePicture[] {
    return [...this.#devices.values()];
  }

  observe(event: DeviceEvent): void {
    this.nowMs = event.t;
    const device = this.#deviceOf(event.device);
    this.#count(event);
    switch (event.event) {
      case 'granted':
      case 'denied':
        show(device, event.event === 'granted' ? 'green' : 'red', event.name, event.note);
        note(device, event.event.toUpperCase(), event.card, event.latencyMs);
        return;
      case 'timeout':
      case 'error':
        show(device, event.door === 'open' ? 'green' : 'red', '', 'no answer');
        note(
          device,
          event.event === 'timeout' ? 'NO ANSWER' : 'ERROR',
          event.card,
          event.latencyMs,
        );
        return;
      case 'post':
        show(device, 'yellow', '', '');
        return;
      case 'door-open':
        device.relay = event.relay;
        return;
      default:
        switchOver(device, event);
    }
  }

  #count(event: DeviceEvent): void {
    if (event.event === 'granted') this.totals.granted += 1;
    if (event.event === 'denied') this.totals.denied += 1;
    if (event.event === 'timeout') this.totals.timeouts += 1;
    if (event.event === 'error') this.totals.errors += 1;
    if (event.event === 'unseen') this.totals.lost += event.usesSpent;
  }

  #deviceOf(serial: string): DevicePicture {
    let device = this.#devices.get(serial);
    if (!device) {
      device = {
        serial,
        lamp: 'off',
        online: false,
        networkUp: true,
        relay: undefined,
        name: '',
        note: '',
        latencyMs: undefined,
        scans: 0,
        last: [],
      };
      this.#devices.set(serial, device);
    }
    return device;
  }
}

function switchOver(device: DevicePicture, event: DeviceEvent): void {
  switch (event.event) {
    case 'power-on':
      show(device, 'dark', '', '');
      return;
    case 'power-off':
      show(device, 'off', '', '');
      device.online = false;
      device.relay = undefined;
      return;
    case 'door-closed':
      device.relay = undefined;
      if (device.lamp === 'green') show(device, 'dark', '', '');
      return;
    case 'online':
    case 'offline':
      device.online = event.event === 'online';
      return;
    case 'network-cut':
    case 'network-restored':
      device.networkUp = event.event === 'network-restored';
      return;
    case 'ignored':
      device.last.unshift(`ignored (${event.why})  ${event.card}`);
      device.last.length = Math.min(device.last.length, LAST_ANSWERS);
      return;
    default:
  }
}

function show(
  device: DevicePicture,
  lamp: DevicePicture['lamp'],
  name: string,
  text: string,
): void {
  device.lamp = lamp;
  device.name = name;
  device.note = text;
}

function note(device: DevicePicture, result: string, card: string, latencyMs: number): void {
  device.latencyMs = latencyMs;
  device.scans += 1;
  device.last.unshift(`${result.padEnd(9)} ${latencyMs.toFixed(1).padStart(6)} ms  ${card}`);
  device.last.length = Math.min(device.last.length, LAST_ANSWERS);
}
