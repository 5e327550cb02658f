import { defined } from '../../kit/defined.ts';
import { Random } from '../../kit/random.ts';
import type { DeviceEvent, DeviceListener } from '../device-events.ts';
import { type DeviceOptions, deviceSettings } from '../device-settings.ts';
import { Statistics } from '../fleet/statistics.ts';
import type { RunReport } from '../fleet/summary.ts';
import type { DeviceModel } from '../models/device-model.ts';
import type { Card } from '../scan-attempt.ts';
import { SimulatedDevice } from '../simulated-device.ts';
import type { Failure } from './scenario-player.ts';
import { ScenarioPlayer } from './scenario-player.ts';
import type { Scenario, ScenarioDevice } from './scenario-schema.ts';
import { Skip, type Stage, type StageMaker } from './stage.ts';

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
