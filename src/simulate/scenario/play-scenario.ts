import { defined } from '../../kit/defined.ts';
import { Random } from '../../kit/random.ts';
import type { Card, DeviceEvent, DeviceListener, ScanOutcome } from '../device-events.ts';
import { type DeviceOptions, deviceSettings } from '../device-settings.ts';
import { Arrivals, Crowd, Visit } from '../fleet/people.ts';
import { parseExpectation } from '../fleet/report.ts';
import { type RunReport, Statistics } from '../fleet/statistics.ts';
import type { DeviceModel } from '../models/device-model.ts';
import { SimulatedDevice } from '../simulated-device.ts';
import type { FaultKind } from '../wire.ts';
import type { OutcomeExpectation, Scenario, ScenarioDevice, Step } from './scenario-schema.ts';
import { Skip, type Stage, type StageMaker } from './stages.ts';

/** An assertion that did not hold. */
interface Failure {
  /** Position of the step, counted from 1. */
  readonly step: number;
  readonly what: string;
}

interface PlayerWorld {
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
const RETRY_AFTER_MS = 2000;

/** Plays the steps of a scenario one after the other and notes every assertion that does not hold. */
class ScenarioPlayer {
  readonly #world: PlayerWorld;
  readonly #failures: Failure[] = [];
  #step = 0;
  /** Undefined while no rush goes on; tells whether it is over. */
  #rush: (() => boolean) | undefined;

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
    const { stage, statistics, seed } = this.#world;
    const { time } = stage;
    const manners = { retries, retryAfterMs: RETRY_AFTER_MS };
    const crowd = new Crowd({ time, statistics, devices, cards, manners });
    const times = { rate, pattern, rampMs: 0, durationMs: undefined, count: people };
    const arrivals = new Arrivals(times, new Random(seed).stream(`rush ${this.#step}`));
    let arriving = true;
    crowd.follow(
      arrivals,
      () => arriving,
      () => {
        arriving = false;
      },
    );
    this.#rush = () => !arriving && crowd.isGone;
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
    if (!rush || (await this.#world.stage.waitFor(rush, RUSH_LIMIT_MS))) return;
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

/** The differences of `seen` from `wanted`; members that `wanted` lacks are ignored. */
function differences(
  wanted: Readonly<Record<string, unknown>>,
  seen: Readonly<Record<string, unknown>>,
): string[] {
  return Object.entries(wanted)
    .filter(([name, value]) => value !== undefined && value !== seen[name])
    .map(([name, value]) => `${name} is ${shown(seen[name])}, expected ${shown(value)}`);
}

function shown(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}

export interface ScenarioResult {
  readonly name: string;
  readonly verdict: 'PASS' | 'FAIL' | 'SKIP';
  readonly failures: readonly Failure[];
  /** Why it was skipped. */
  readonly reason: string;
  readonly seed: string;
  /** In the scenario's own time, which may be virtual. */
  readonly durationMs: number;
  readonly report: RunReport | undefined;
}

/** Plays one scenario to its end and gives the verdict. */
export async function playScenario(
  scenario: Scenario,
  makeStage: StageMaker,
  options: {
    readonly seed?: string | undefined;
    readonly listener?: DeviceListener | undefined;
    /** The model of a device file; undefined for any other name. */
    readonly modelOf?: ((name: string) => DeviceModel | undefined) | undefined;
  } = {},
): Promise<ScenarioResult> {
  const seed = options.seed ?? scenario.seed ?? '1';
  const { name } = scenario;
  const common = { name, seed, reason: '', failures: [] };
  try {
    return { ...common, ...(await playOn(makeStage(scenario, seed), scenario, seed, options)) };
  } catch (error) {
    if (!(error instanceof Skip)) throw error;
    return { ...common, verdict: 'SKIP', reason: error.message, durationMs: 0, report: undefined };
  }
}

async function playOn(
  stage: Stage,
  scenario: Scenario,
  seed: string,
  options: Parameters<typeof playScenario>[2] = {},
): Promise<Pick<ScenarioResult, 'verdict' | 'failures' | 'durationMs' | 'report'>> {
  const statistics = new Statistics(stage.time);
  const listener = (event: DeviceEvent): void => {
    statistics.observe(event);
    options.listener?.(event);
  };
  let devices = new Map<string, SimulatedDevice>();
  try {
    const cards = cardsOf(scenario, stage);
    devices = devicesOf(scenario, stage, { seed, listener, modelOf: options.modelOf });
    const player = new ScenarioPlayer({ stage, devices, cards, statistics, seed });
    const failures = await player.play(scenario.steps);
    const report = statistics.report({ seed, devices: devices.size });
    const verdict = failures.length === 0 ? 'PASS' : 'FAIL';
    return { verdict, failures, durationMs: stage.time.nowMs(), report };
  } finally {
    for (const device of devices.values()) device.close();
    stage.close();
  }
}

function cardsOf({ cards }: Scenario, stage: Stage): Map<string, readonly Card[]> {
  return new Map(Object.entries(cards).map(([name, card]) => [name, stage.cards(name, card)]));
}

function devicesOf(
  { devices }: Scenario,
  stage: Stage,
  {
    seed,
    listener,
    modelOf,
  }: {
    readonly seed: string;
    readonly listener: DeviceListener;
    readonly modelOf: ((name: string) => DeviceModel | undefined) | undefined;
  },
): Map<string, SimulatedDevice> {
  const random = new Random(seed).stream('devices');
  const { time } = stage;
  return new Map(
    Object.entries(devices).map(([name, options]) => {
      const world = { time, random, transport: stage.connect(), listener };
      const given = settingsOf(options);
      const model = modelOf?.(options.model ?? '');
      const settings = deviceSettings(model ? { ...given, model } : given);
      return [name, new SimulatedDevice(options.serial ?? name, settings, world)];
    }),
  );
}

function settingsOf(given: ScenarioDevice): DeviceOptions {
  const {
    antiRepeat,
    heartbeat,
    readTime,
    passTime,
    clockOffset,
    only200,
    serial: _,
    ...same
  } = given;
  return defined({
    ...same,
    antiRepeatMs: antiRepeat,
    heartbeatMs: heartbeat,
    readMs: readTime,
    passMs: passTime,
    clockOffsetMs: clockOffset,
    reads200Only: only200,
  });
}
