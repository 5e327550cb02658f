import { Random } from '../../kit/random.ts';
import type { Card, DeviceEvent, DeviceListener } from '../device-events.ts';
import { deviceSettings } from '../device-settings.ts';
import { SimulatedDevice } from '../simulated-device.ts';
import type { Time } from '../time.ts';
import type { FaultKind, Transport } from '../wire.ts';
import { type FleetOptions, type FleetPlan, fleetPlan, type Weighted } from './fleet-options.ts';
import { Arrivals, Crowd } from './people.ts';
import { type RunReport, Statistics } from './statistics.ts';

/** The environment of a fleet. */
export interface FleetWorld {
  readonly time: Time;
  /** Gives each device its own way to the server. */
  readonly connect: (serial: string) => Transport;
  readonly listener?: DeviceListener | undefined;
}

/** After the last visit, time for answers that are still on their way. */
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

  /** @throws SimulateError `usage` for invalid options */
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
      ...{ time, statistics, devices, cards },
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
