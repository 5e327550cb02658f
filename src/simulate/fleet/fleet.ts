import { Random } from '../../kit/random.ts';
import type { Card, DeviceEvent, DeviceListener, ScanOutcome } from '../device-events.ts';
import { deviceSettings } from '../device-settings.ts';
import { SimulatedDevice } from '../simulated-device.ts';
import type { Time } from '../time.ts';
import type { FaultKind, Transport } from '../wire.ts';
import { type FleetOptions, type FleetPlan, fleetPlan, type Weighted } from './fleet-options.ts';
import { Arrivals, Gates, type Manners, Visit, type VisitOwner } from './people.ts';
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
export class SimulatedFleet implements VisitOwner {
  readonly time: Time;
  readonly statistics: Statistics;
  readonly manners: Manners;
  readonly #plan: FleetPlan;
  readonly #world: FleetWorld;
  readonly #gates: Gates;
  readonly #arrivals: Arrivals | undefined;
  readonly #chance: Random;
  readonly #faults: readonly (readonly [FaultKind, number])[];
  #people = 0;
  #inside = 0;
  #arriving = false;
  /** True once answers may be under way that no visit waits for. */
  #unanswered = false;
  #overdue = false;
  #onFinished: (() => void) | undefined;

  /** @throws SimulateError `usage` for invalid options */
  constructor(options: FleetOptions, world: FleetWorld) {
    this.#plan = fleetPlan(options);
    this.#world = world;
    this.time = world.time;
    this.statistics = new Statistics(world.time);
    const { seed, retries, retryAfterMs, rate, arrivals: pattern } = this.#plan;
    this.manners = { retries, retryAfterMs };
    const random = new Random(seed);
    this.#faults = Object.entries(this.#plan.faults) as [FaultKind, number][];
    this.#chance = random.stream('faults');
    if (typeof rate === 'number') {
      const { rampMs, durationMs, people: count } = this.#plan;
      const plan = { rate, pattern, rampMs, durationMs, count };
      this.#arrivals = new Arrivals(plan, random.stream('arrivals'));
    }
    this.#gates = new Gates(this.#makeDevices(random), () => this.#demand());
  }

  get ledger() {
    return this.statistics.ledger;
  }

  get devices(): readonly SimulatedDevice[] {
    return this.#gates.devices;
  }

  /** Switches the devices on and lets people come. */
  start(onFinished: () => void): void {
    this.#onFinished = onFinished;
    const { rate, durationMs, seed, devices } = this.#plan;
    const spread = new Random(seed).stream('heartbeats');
    this.#arriving = rate !== undefined;
    for (const device of this.devices) {
      const { heartbeatMs } = device.settings;
      device.powerOn(devices > 1 ? spread.next() * heartbeatMs : 0);
    }
    if (this.#arrivals) this.#awaitArrival(this.#arrivals.next());
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

  scanned(outcome: ScanOutcome, correctedMs: number): void {
    if (outcome.result === 'timeout' || outcome.result === 'error') this.#unanswered = true;
    this.statistics.scanned(outcome, correctedMs);
  }

  visitOver(visit: Visit): void {
    this.#inside -= 1;
    if (visit.device) this.#gates.leave(visit.device);
    this.#finishWhenEmpty();
  }

  #makeDevices(random: Random): SimulatedDevice[] {
    const { devices, models, operations, serial, device } = this.#plan;
    const choice = random.stream('devices');
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

  #awaitArrival(atMs: number | undefined): void {
    if (atMs === undefined) {
      this.#endArrivals();
      return;
    }
    this.time.after(atMs - this.time.nowMs(), () => this.#arrive(atMs));
  }

  /** Starts every visit that is due: several arrivals may share one timer. */
  #arrive(firstAtMs: number): void {
    let atMs: number | undefined = firstAtMs;
    while (this.#arriving && atMs !== undefined && atMs <= this.time.nowMs()) {
      this.#admit(atMs);
      atMs = this.#arrivals?.next();
    }
    if (this.#arriving) this.#awaitArrival(atMs);
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
    if (late || (people !== undefined && this.#people >= people)) this.#endArrivals();
    else this.#admit(this.time.nowMs());
  }

  #admit(atMs: number): void {
    const { cards } = this.#plan;
    const card = cards[this.#people % cards.length];
    if (!card) return;
    this.#people += 1;
    this.#inside += 1;
    this.#gates.enter(new Visit(this, card, atMs, this.#drawFault()));
  }

  /** A person goes straight to this device, past every queue. */
  scanAt(device: SimulatedDevice, card: Card): void {
    this.#inside += 1;
    new Visit(this, card, this.time.nowMs(), undefined).stepUp(device);
  }

  #drawFault(): FaultKind | undefined {
    if (this.#faults.length === 0) return undefined;
    let rest = this.#chance.next();
    for (const [kind, probability] of this.#faults) {
      rest -= probability;
      if (rest >= 0) continue;
      this.#unanswered = true;
      return kind;
    }
    return undefined;
  }

  #endArrivals(): void {
    this.#arriving = false;
    this.#finishWhenEmpty();
  }

  #finishWhenEmpty(): void {
    if (this.#arriving || this.#inside > 0 || !this.#onFinished) return;
    if (this.#plan.staysOpen && !this.#overdue) return;
    const finished = this.#onFinished;
    this.#onFinished = undefined;
    this.time.after(this.#unanswered ? LINGER_MS : 0, () => this.#finish(finished));
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
