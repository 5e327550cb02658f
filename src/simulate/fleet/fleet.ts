import { Random } from '../../kit/random.ts';
import { cardOf } from '../cards/card-file.ts';
import type { Card, DeviceEvent, DeviceListener } from '../device-events.ts';
import { type DeviceOptions, deviceSettings } from '../device-settings.ts';
import { SimulateError } from '../errors.ts';
import type { DeviceModel } from '../models/device-model.ts';
import { SimulatedDevice } from '../simulated-device.ts';
import type { Time } from '../time.ts';
import type { FaultKind, Transport } from '../wire.ts';
import { Arrivals, Crowd } from './people.ts';
import { type RunReport, Statistics } from './statistics.ts';

/** The environment of a fleet. */
export interface FleetWorld {
  readonly time: Time;
  /** Gives each device its own way to the server. */
  readonly connect: (serial: string) => Transport;
  readonly listener?: DeviceListener | undefined;
}

/** The time after the last visit for answers that are still on their way. */
const LINGER_MS = 1000;
const DOOR_CHECK_MS = 100;

/**
 * Many devices and the people who come to them.
 *
 * People arrive by an open model: at their own times, whether the server keeps up or not. People without a free gate wait
 * in one queue. Latency is measured from the arrival, so that it includes the time in which people wait for a stalled server.
 */
export class SimulatedFleet {
  readonly time: Time;
  readonly statistics: Statistics;
  readonly devices: readonly SimulatedDevice[];
  readonly #plan: FleetPlan;
  readonly #world: FleetWorld;
  readonly #crowd: Crowd;
  readonly #random: Random;
  #arriving = false;
  #overdue = false;
  #onFinished: (() => void) | undefined;

  /** @throws SimulateError for invalid options */
  constructor(options: FleetOptions, world: FleetWorld) {
    this.#plan = fleetPlan(options);
    this.#world = world;
    this.time = world.time;
    this.statistics = new Statistics(world.time);
    const { seed, retries, retryAfterMs, cards } = this.#plan;
    this.#random = new Random(seed);
    this.devices = this.#makeDevices();
    const { time, statistics, devices } = this;
    this.#crowd = new Crowd({
      time,
      statistics,
      devices,
      cards,
      manners: { retries, retryAfterMs },
      drawFault: this.#faultDrawer(),
      onIdle: () => this.#demand(),
      onLeft: () => this.#finishWhenEmpty(),
    });
  }

  /** Switches the devices on and lets people come. */
  start(onFinished: () => void): void {
    this.#onFinished = onFinished;
    const { rate, durationMs, devices, rampMs, arrivals: pattern, people: count } = this.#plan;
    const spread = this.#random.stream('heartbeats');
    this.#arriving = rate !== undefined;
    for (const device of this.devices) {
      const { heartbeatMs } = device.settings;
      device.powerOn(devices > 1 ? spread.next() * heartbeatMs : 0);
    }
    if (typeof rate === 'number') {
      const times = { rate, pattern, rampMs, durationMs, count };
      const arrivals = new Arrivals(times, this.#random.stream('arrivals'));
      this.#crowd.follow(
        arrivals,
        () => this.#arriving,
        () => this.#endArrivals(),
      );
    }
    if (durationMs !== undefined) this.time.after(durationMs, () => this.#endOfTime());
    else if (rate === undefined) this.#endArrivals();
  }

  /** Ends at once: the devices stop. The report so far remains. */
  stop(): void {
    this.#arriving = false;
    this.#onFinished = undefined;
    for (const device of this.devices) device.close();
  }

  report(): RunReport {
    const { seed, devices } = this.#plan;
    return this.statistics.report({ seed, devices });
  }

  #makeDevices(): SimulatedDevice[] {
    const { devices, models, operations, serial, device } = this.#plan;
    const choice = this.#random.stream('devices');
    const listener = (event: DeviceEvent): void => {
      this.statistics.observe(event);
      this.#world.listener?.(event);
    };
    const kinds = new Map<string, ReturnType<typeof deviceSettings>>();
    return Array.from({ length: devices }, (_, index) => {
      const model = choice.weighted(pairsOf(models));
      const operation = choice.weighted(pairsOf(operations));
      const kind = `${typeof model === 'string' ? model : model.id} ${operation}`;
      const settings = kinds.get(kind) ?? deviceSettings({ ...device, model, operation });
      kinds.set(kind, settings);
      const own = serialAfter(serial, index);
      const { time } = this;
      const world = { time, random: choice, transport: this.#world.connect(own), listener };
      return new SimulatedDevice(own, settings, world);
    });
  }

  /** A gate is free and nobody waits: with the rate `max` the next person is on the way. */
  #demand(): void {
    const { rate, thinkMs } = this.#plan;
    if (rate !== 'max' || !this.#arriving) return;
    if (thinkMs > 0) this.time.after(thinkMs, () => this.#come());
    else this.#come();
  }

  #come(): void {
    const { people, durationMs } = this.#plan;
    if (!this.#arriving) return;
    const late = durationMs !== undefined && this.time.nowMs() >= durationMs;
    if (late || (people !== undefined && this.#crowd.people >= people)) this.#endArrivals();
    else this.#crowd.come(this.time.nowMs());
  }

  /** A person goes straight to this device, past every queue. */
  scanAt(device: SimulatedDevice, card: Card): void {
    this.#crowd.scanAt(device, card);
  }

  #faultDrawer(): () => FaultKind | undefined {
    const faults = Object.entries(this.#plan.faults) as [FaultKind, number][];
    const chance = this.#random.stream('faults');
    if (faults.length === 0) return () => undefined;
    return () => {
      let rest = chance.next();
      const drawn = faults.find(([, probability]) => {
        rest -= probability;
        return rest < 0;
      });
      return drawn?.[0];
    };
  }

  #endArrivals(): void {
    this.#arriving = false;
    this.#finishWhenEmpty();
  }

  #finishWhenEmpty(): void {
    if (this.#arriving || !this.#crowd.isGone || !this.#onFinished) return;
    if (this.#plan.staysOpen && !this.#overdue) return;
    const finished = this.#onFinished;
    this.#onFinished = undefined;
    this.time.after(this.#crowd.unanswered ? LINGER_MS : 0, () => this.#finish(finished));
  }

  /** Timers may fire a moment early, so the clock alone does not decide. */
  #endOfTime(): void {
    this.#overdue = true;
    this.#endArrivals();
  }

  #finish(finished: () => void): void {
    const open = this.devices.some((device) => device.relay !== undefined);
    if (!open || !this.#plan.untilDoorsClose) finished();
    else this.time.after(DOOR_CHECK_MS, () => this.#finish(finished));
  }
}

function pairsOf<T>(choices: readonly Weighted<T>[]) {
  return choices.map(({ value, weight }) => [value, weight] as const);
}

/** `SIM00001` and 2 give `SIM00003`. */
export function serialAfter(serial: string, steps: number): string {
  const digits = /(?<!\d)\d*$/.exec(serial)?.[0] ?? '';
  const number = String(Number(digits) + steps).padStart(digits.length, '0');
  return steps === 0 ? serial : serial.slice(0, serial.length - digits.length) + number;
}

/** A value and how often it is chosen, in proportion to the other weights. */
export interface Weighted<T> {
  readonly value: T;
  readonly weight: number;
}

/** How many devices, of which models, and what they do. */
export interface FleetOptions {
  /** How many devices, 1 to 10,000. */
  readonly devices?: number;
  readonly models?: readonly Weighted<string | DeviceModel>[];
  readonly operations?: readonly Weighted<'consume' | 'validate'>[];
  /** Settings of all devices. In a fleet reading, passing and anti-repeat take no time unless told otherwise. */
  readonly device?: DeviceOptions;
  /** The serial of the first device; the others count on from its last digits. */
  readonly serial?: string;
  /** Ticket codes, or cards. */
  readonly cards?: readonly (string | Card)[];
  /** People a second, or `max`: every gate takes the next card as soon as it is free. Without a rate nobody comes. */
  readonly rate?: number | 'max';
  readonly arrivals?: 'poisson' | 'constant';
  readonly rampMs?: number;
  readonly durationMs?: number;
  /** Number of people in total. Without this and a duration, each card comes once. */
  readonly people?: number;
  /** How likely each fault is, 0 to 1; together at most 1. */
  readonly faults?: Partial<Record<FaultKind, number>>;
  /** How often a person tries again when no answer came. */
  readonly retries?: number;
  readonly retryAfterMs?: number;
  /** The time from a free gate to the next person at it, with the rate `max`. */
  readonly thinkMs?: number;
  /** True runs until it is stopped, for cards that are presented by hand. */
  readonly staysOpen?: boolean;
  /** True ends only when every door is closed again. */
  readonly untilDoorsClose?: boolean;
  /** Any text; the same seed gives the same run. */
  readonly seed?: string;
}

export const DEVICES_MAX = 10_000;
const FLEET_DEVICE: DeviceOptions = { readMs: 0, passMs: 0, antiRepeatMs: 0 };

export type FleetPlan = Required<Omit<FleetOptions, 'rate' | 'durationMs' | 'people' | 'cards'>> &
  Pick<FleetOptions, 'rate' | 'durationMs' | 'people'> & { readonly cards: readonly Card[] };

/** @throws SimulateError for a number out of range, or people without a card */
export function fleetPlan(options: FleetOptions): FleetPlan {
  const plan: FleetPlan = {
    devices: 1,
    models: [{ value: options.device?.model ?? 'access-controller', weight: 1 }],
    operations: [{ value: options.device?.operation ?? 'consume', weight: 1 }],
    serial: 'SIM00001',
    arrivals: 'poisson',
    rampMs: 0,
    faults: {},
    retries: Object.keys(options.faults ?? {}).length > 0 ? 1 : 0,
    retryAfterMs: 2000,
    thinkMs: 0,
    staysOpen: false,
    untilDoorsClose: false,
    seed: '1',
    ...options,
    cards: (options.cards ?? []).map((card) => (typeof card === 'string' ? cardOf(card) : card)),
    device: { ...FLEET_DEVICE, ...options.device },
  };
  check(plan);
  if (plan.rate === undefined || plan.durationMs !== undefined || plan.people !== undefined) {
    return plan;
  }
  return { ...plan, people: plan.cards.length };
}

function check(plan: FleetPlan): void {
  const { devices, rate, faults, cards } = plan;
  if (!Number.isInteger(devices) || devices < 1 || devices > DEVICES_MAX) {
    throw new SimulateError(`A fleet has 1 to ${DEVICES_MAX} devices, not ${devices}.`);
  }
  if (rate !== undefined && rate !== 'max' && !(rate > 0 && rate <= 1e6)) {
    throw new SimulateError(`The rate must be a number of people a second above 0, not ${rate}.`);
  }
  if (rate !== undefined && cards.length === 0) {
    throw new SimulateError('A rate needs cards: add --card or --cards-from.');
  }
  const likely = Object.values(faults).reduce((sum, probability) => sum + probability, 0);
  const each = Object.values(faults).every((probability) => probability >= 0 && probability <= 1);
  if (!each || likely > 1 + 1e-9) {
    throw new SimulateError('Faults have probabilities from 0 to 1, together at most 1.');
  }
}
