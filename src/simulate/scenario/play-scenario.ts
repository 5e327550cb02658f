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

/** The time that devices with a heartbeat get to find the server before the first step. */
const START_LIMIT_MS = 5000;
/** A rush that has not ended by then is stuck. */
const RUSH_LIMIT_MS = 600_000;
const RETRY_AFTER_MS = 2000;

/** Plays the steps of a scenario one after the other and notes every assertion that does not hold. */
class ScenarioPlayer {
  readonly #stage: Stage;
  readonly #seed: string;
  readonly #statistics: Statistics;
  readonly #cards: ReadonlyMap<string, readonly Card[]>;
  readonly #devices: ReadonlyMap<string, SimulatedDevice>;
  readonly #failures: Failure[] = [];
  #step = 0;
  /** Undefined while no rush goes on; tells whether it is over. */
  #rush: (() => boolean) | undefined;

  /** @throws Skip when the stage has no such cards */
  constructor({ cards, devices }: Scenario, stage: Stage, seed: string, options: PlayOptions) {
    this.#stage = stage;
    this.#seed = seed;
    const { time } = stage;
    const statistics = new Statistics(time);
    this.#statistics = statistics;
    const listener = (event: DeviceEvent): void => {
      statistics.observe(event);
      options.listener?.(event);
    };
    this.#cards = new Map(
      Object.entries(cards).map(([name, card]) => [name, stage.cards(name, card)]),
    );
    const random = new Random(seed).stream('devices');
    this.#devices = new Map(
      Object.entries(devices).map(([name, device]) => {
        const world = { time, random, transport: stage.connect(), listener };
        const model = options.modelOf?.(device.model ?? '');
        const settings = deviceSettings({ ...settingsOf(device), ...(model && { model }) });
        return [name, new SimulatedDevice(device.serial ?? name, settings, world)];
      }),
    );
  }

  async play(steps: readonly Step[]): Promise<Played> {
    const devices = [...this.#devices.values()];
    for (const device of devices) device.powerOn();
    await this.#stage.waitFor(
      () => devices.every((device) => device.online || device.settings.heartbeatMs === 0),
      START_LIMIT_MS,
    );
    for (const step of steps) {
      this.#step += 1;
      await this.#take(step);
    }
    await this.#endRush();
    const failures = this.#failures;
    return {
      verdict: failures.length === 0 ? 'PASS' : 'FAIL',
      failures,
      durationMs: this.#stage.time.nowMs(),
      report: this.#statistics.report({ seed: this.#seed, devices: devices.length }),
    };
  }

  close(): void {
    for (const device of this.#devices.values()) device.close();
  }

  async #take(step: Step): Promise<void> {
    if ('present' in step) await this.#present(step);
    else if ('wait' in step) await this.#stage.sleep(step.wait);
    else if ('server' in step) await this.#stage.server(step.server, step.for);
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
    const card = this.#cards.get(present)?.[0];
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
    const [stage, statistics] = [this.#stage, this.#statistics];
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
    const cards = this.#cards.get(rush.card) ?? [];
    const { time } = this.#stage;
    const [statistics, seed] = [this.#statistics, this.#seed];
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
    const all = [...this.#devices.values()];
    const named = at === undefined ? all : [at].flat().map((name) => this.#device(name));
    return direction ? named.filter(({ settings }) => settings.direction === direction) : named;
  }

  async #endRush(): Promise<void> {
    const rush = this.#rush;
    this.#rush = undefined;
    if (!rush || (await this.#stage.waitFor(rush, RUSH_LIMIT_MS))) return;
    this.#note(['the rush did not end']);
  }

  #expect(
    expect: Exclude<Extract<Step, { expect: unknown }>, { present: unknown }>['expect'],
  ): void {
    if (!expect) return;
    if ('run' in expect) {
      const { summary } = this.#statistics.report({ seed: '', devices: 0 });
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
    const device = this.#devices.get(name);
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
  /** The length of the run in the scenario's own time, which may be virtual. */
  readonly durationMs: number;
  readonly report: RunReport | undefined;
}

type Played = Pick<ScenarioResult, 'verdict' | 'failures' | 'durationMs' | 'report'>;

interface PlayOptions {
  readonly seed?: string | undefined;
  readonly listener?: DeviceListener | undefined;
  /** The model of a device file; undefined for any other name. */
  readonly modelOf?: ((name: string) => DeviceModel | undefined) | undefined;
}

/** Plays one scenario to its end and gives the verdict. */
export async function playScenario(
  scenario: Scenario,
  makeStage: StageMaker,
  options: PlayOptions = {},
): Promise<ScenarioResult> {
  const seed = options.seed ?? scenario.seed ?? '1';
  const common = { name: scenario.name, seed, reason: '', failures: [] };
  let stage: Stage | undefined;
  let player: ScenarioPlayer | undefined;
  try {
    stage = makeStage(scenario, seed);
    player = new ScenarioPlayer(scenario, stage, seed, options);
    return { ...common, ...(await player.play(scenario.steps)) };
  } catch (error) {
    if (!(error instanceof Skip)) throw error;
    return { ...common, verdict: 'SKIP', reason: error.message, durationMs: 0, report: undefined };
  } finally {
    player?.close();
    stage?.close();
  }
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
