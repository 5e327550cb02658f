import { defined } from '../kit/defined.ts';
import type { Random } from '../kit/random.ts';
import type { DeviceListener } from './device-events.ts';
import { SimulateError } from './errors.ts';
import type { DeviceModel } from './models/device-model.ts';
import { modelNamed } from './models/models.ts';
import type { Time } from './time.ts';
import type { Transport } from './wire.ts';

/** How a device is set up. Many devices may share one. */
export interface DeviceSettings {
  readonly model: DeviceModel;
  readonly operation: 'consume' | 'validate';
  /** Which way people go here; tells whom a rush brings. */
  readonly direction: 'in' | 'out';
  /** Reader index as the device sends it. */
  readonly reader: number;
  /** How long the device waits for an answer, in units of 0.1 second. */
  readonly waitTime: number;
  /** What the door does when no answer comes: `secure` stays closed, `safe` opens. */
  readonly failMode: 'secure' | 'safe';
  /** The same card is not posted again within this time. */
  readonly antiRepeatMs: number;
  /** 0 sends none. */
  readonly heartbeatMs: number;
  /** After this number of heartbeats in a row without an answer, the device is offline. */
  readonly offlineAfter: number;
  /** The time from the card in front of the reader to its code. */
  readonly readMs: number;
  /** The time from the open door to the person behind it. */
  readonly passMs: number;
  /** How likely a person turns back at the open door, 0 to 1. */
  readonly turnBack: number;
  /** How long the red light stays on. */
  readonly deniedMs: number;
  /** How long the relay stays on where the answer does not say. */
  readonly openSeconds: number;
  /** The time from power on to the first heartbeat after a power cycle. */
  readonly bootMs: number;
  /** How far the device's clock is off; positive is ahead. */
  readonly clockOffsetMs: number;
  /** Some controllers do not read the body of anything but a 200. */
  readonly reads200Only: boolean;
}

/** Settings by name; everything has a default. */
export type DeviceOptions = Partial<Omit<DeviceSettings, 'model'>> & {
  /** The name of a known model, or a model from a device file. */
  readonly model?: string | DeviceModel;
};

/** The environment of a device. */
export interface DeviceWorld {
  readonly time: Time;
  readonly random: Random;
  readonly transport: Transport;
  readonly listener?: DeviceListener | undefined;
}

/** Controllers send an odd index from the reader of an exit. */
const OUT_READER = 1;

/** The settings of a device, with the defaults of its model. @throws SimulateError for an unknown model or a number out of range */
export function deviceSettings(options: DeviceOptions = {}): DeviceSettings {
  const { model: given = 'access-controller' } = options;
  const model = typeof given === 'string' ? modelNamed(given) : given;
  const settings: DeviceSettings = {
    operation: 'consume',
    direction: 'in',
    reader: options.direction === 'out' ? OUT_READER : 0,
    waitTime: model.defaultWaitTime,
    failMode: 'secure',
    antiRepeatMs: 1000,
    heartbeatMs: model.heart?.defaultEveryMs ?? 0,
    offlineAfter: 2,
    readMs: 100,
    passMs: 1000,
    turnBack: 0,
    deniedMs: 2000,
    openSeconds: 5,
    bootMs: 1500,
    clockOffsetMs: 0,
    reads200Only: false,
    ...defined(options),
    model,
  };
  checkRanges(settings);
  return settings;
}

const RANGES: readonly (readonly [keyof DeviceSettings, number, number])[] = [
  ['reader', 0, 255],
  ['waitTime', 1, 6000],
  ['antiRepeatMs', 0, 3_600_000],
  ['heartbeatMs', 0, 86_400_000],
  ['offlineAfter', 1, 1000],
  ['readMs', 0, 60_000],
  ['passMs', 0, 600_000],
  ['turnBack', 0, 1],
  ['deniedMs', 0, 600_000],
  ['openSeconds', 0, 600],
  ['bootMs', 0, 600_000],
];

function checkRanges(settings: DeviceSettings): void {
  for (const [name, least, most] of RANGES) {
    const value = settings[name] as number;
    if (!(value >= least && value <= most)) {
      throw new SimulateError(`${name} must be from ${least} to ${most}, not ${value}.`);
    }
  }
}
