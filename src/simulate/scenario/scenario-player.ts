import { Random } from '../../kit/random.ts';
import type { FaultKind } from '../faults.ts';
import type { Statistics } from '../fleet/statistics.ts';
import { Visit } from '../fleet/visit.ts';
import { parseExpectation } from '../report/expect.ts';
import type { Card, ScanOutcome } from '../scan-attempt.ts';
import type { SimulatedDevice } from '../simulated-device.ts';
import { differences } from './differences.ts';
import { Rush } from './rush.ts';
import type { OutcomeExpectation, Step } from './scenario-schema.ts';
import type { Stage } from './stage.ts';

/** An assertion that did not hold. */
export interface Failure {
  /** Position of the step, counted from 1. */
  readonly step: number;
  readonly what: string;
}

export interface PlayerWorld {
  readonly stage: Stage;
  readonly devices: ReadonlyMap<string, SimulatedDevice>;
  readonly cards: ReadonlyMap<string, readonly Card[]>;
  readonly statistics: Statistics;
  readonly seed: string;
}

/** Before the first step, devices with a heartbeat get so long to find the server. */
const START_LIMIT_MS = 5000;
/** A rush that has not ended by then is stuck. */
const RUSH_LIMIT_MS = 600_000;

/** Plays the steps of a scenario one after the other and notes every assertion that does not hold. */
export class ScenarioPlayer {
  readonly #world: PlayerWorld;
  readonly #failures: Failure[] = [];
  #step = 0;
  #rush: Rush | undefined;

  constructor(world: PlayerWorld) {
    this.#world = world;
  }

  async play(steps: readonly Step[]): Promise<readonly Failure[]> {
    const devices = [...this.#world.devices.values()];
    for (const device of devices) device.powerOn();
    await this.#world.stage.waitFor(
      () => devices.every((device) => device.online || device.settings.heartbeatMs === 0),
      START_LIMIT_MS,
    );
    for (const step of steps) {
      this.#step += 1;
      await this.#take(step);
    }
    await this.#endRush();
    return this.#failures;
  }

  async #take(step: Step): Promise<void> {
    const { stage } = this.#world;
    if ('present' in step) await this.#present(step);
    else if ('wait' in step) await stage.sleep(step.wait);
    else if ('server' in step) await stage.server(step.server, step.for);
    else if ('rush' in step) await this.#startRush(step.rush);
    else if ('rushEnd' in step) await this.#endRush();
    else if ('expect' in step) this.#expect(step.expect);
    else this.#switch(step);
  }

  #switch(step: Step): void {
    const each = (names: string | readonly string[], act: (device: SimulatedDevice) => void) => {
      for (const name of [names].flat()) act(this.#device(name));
    };
    if ('cutNetwork' in step) each(step.cutNetwork, (device) => device.cutNetwork());
    if ('restoreNetwork' in step) each(step.restoreNetwork, (device) => device.restoreNetwork());
    if ('powerOff' in step) each(step.powerOff, (device) => device.powerOff());
    if ('powerOn' in step) each(step.powerOn, (device) => device.powerOn());
    if ('powerCycle' in step) each(step.powerCycle, (device) => device.powerCycle());
  }

  async #present({
    present,
    at,
    fault,
    expect,
  }: Extract<Step, { present: unknown }>): Promise<void> {
    const device = this.#device(at);
    const card = this.#world.cards.get(present)?.[0];
    if (!card) return;
    const outcome = await this.#visit(device, card, fault);
    if (expect) this.#compare(expect, device, outcome);
  }

  /** One person with one card; undefined when the device ignores the card. */
  async #visit(
    device: SimulatedDevice,
    card: Card,
    fault: FaultKind | undefined,
  ): Promise<ScanOutcome | undefined> {
    const { stage, statistics } = this.#world;
    let outcome: ScanOutcome | undefined;
    let over = false;
    const owner = {
      time: stage.time,
      ledger: statistics.ledger,
      manners: { retries: 0, retryAfterMs: 0 },
      scanned: (seen: ScanOutcome, correctedMs: number) => {
        outcome = seen;
        statistics.scanned(seen, correctedMs);
      },
      visitOver: () => {
        over = true;
      },
    };
    const visit = new Visit(owner, card, stage.time.nowMs(), fault);
    visit.stepUp(device);
    const { waitTime, readMs } = device.settings;
    await stage.waitFor(() => over, readMs + waitTime * 100 + START_LIMIT_MS);
    return outcome;
  }

  #compare(
    expect: OutcomeExpectation,
    device: SimulatedDevice,
    outcome: ScanOutcome | undefined,
  ): void {
    this.#note(
      differences(expect, {
        result: outcome?.result ?? 'ignored',
        opened: outcome?.opened ?? false,
        relay: device.relay ?? false,
        name: outcome?.name ?? '',
        note: outcome?.note ?? '',
        status: outcome?.status,
      }),
    );
  }

  async #startRush(rush: Extract<Step, { rush: unknown }>['rush']): Promise<void> {
    await this.#endRush();
    const { people, rate, pattern = 'poisson', retries = 0, background } = rush;
    const devices = this.#devicesOf(rush);
    const cards = this.#world.cards.get(rush.card) ?? [];
    const random = new Random(this.#world.seed).stream(`rush ${this.#step}`);
    const { stage, statistics } = this.#world;
    const plan = { cards, devices, people, rate, pattern, retries };
    this.#rush = new Rush(plan, stage.time, random, statistics);
    if (background !== true) await this.#endRush();
  }

  #devicesOf({ at, direction }: Extract<Step, { rush: unknown }>['rush']): SimulatedDevice[] {
    const all = [...this.#world.devices.values()];
    const named = at === undefined ? all : [at].flat().map((name) => this.#device(name));
    return direction ? named.filter(({ settings }) => settings.direction === direction) : named;
  }

  async #endRush(): Promise<void> {
    const rush = this.#rush;
    this.#rush = undefined;
    if (!rush || (await this.#world.stage.waitFor(() => rush.over, RUSH_LIMIT_MS))) return;
    this.#note(['the rush did not end']);
  }

  #expect(
    expect: Exclude<Extract<Step, { expect: unknown }>, { present: unknown }>['expect'],
  ): void {
    if (!expect) return;
    if ('run' in expect) {
      const { summary } = this.#world.statistics.report({ seed: '', devices: 0 });
      for (const text of expect.run) {
        const missed = parseExpectation(text).missed(summary);
        if (missed !== undefined) this.#note([`expected ${text}, but ${missed}`]);
      }
    } else if ('device' in expect) {
      const { device: name, ...wanted } = expect;
      const { state, online, relay = false, display } = this.#device(name);
      const seen = { state, online, relay, name: display.name, note: display.note };
      this.#note(differences(wanted, seen).map((what) => `${name}: ${what}`));
    }
  }

  #device(name: string): SimulatedDevice {
    const device = this.#world.devices.get(name);
    if (device) return device;
    throw new RangeError(`Unknown device "${name}".`);
  }

  #note(problems: readonly string[]): void {
    for (const what of problems) this.#failures.push({ step: this.#step, what });
  }
}
