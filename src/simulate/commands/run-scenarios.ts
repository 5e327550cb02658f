import type { CliIo } from '../../terminal/io.ts';
import { trustFrom } from '../../terminal/options.ts';
import { readCardFile } from '../cards/card-file.ts';
import { SimulateError } from '../errors.ts';
import { splitDeviceUrl } from '../network/device-url.ts';
import { Endpoint } from '../network/endpoint.ts';
import { writeText } from '../report/write-report.ts';
import type { Card } from '../scan-attempt.ts';
import { scenarioJunit } from '../scenario/junit.ts';
import { loadScenario } from '../scenario/load-scenario.ts';
import { playScenario, type ScenarioResult } from '../scenario/play-scenario.ts';
import { RealStage } from '../scenario/real-stage.ts';
import { SERVER_ACTIONS } from '../scenario/scenario-schema.ts';
import type { StageMaker } from '../scenario/stage.ts';
import { VirtualStage } from '../scenario/virtual-stage.ts';
import type { SimulateOptions } from './options.ts';
import { keyFor, VIRTUAL } from './plan.ts';
import { readReports } from './report-files.ts';
import { JsonOutput, TextOutput, totals } from './scenario-output.ts';

const SCENARIO_REPORTS = { '.json': 'json', '.xml': 'junit' } as const;

type ScenarioReportFormat = (typeof SCENARIO_REPORTS)[keyof typeof SCENARIO_REPORTS];

/** Plays the scenarios one after the other; exit code 1 when one fails. */
export async function runScenarios(
  baseUrl: string | undefined,
  options: SimulateOptions,
  io: CliIo,
): Promise<void> {
  const files = options.scenario ?? [];
  const reports = readReports(options.report ?? [], SCENARIO_REPORTS);
  const scenarios = [];
  const { names, modelOf } = await modelsFrom(options);
  for (const file of files) scenarios.push(await loadScenario(file, names));
  const makeStage = await stageMaker(baseUrl, options, io);
  const output = options.json ? new JsonOutput(io) : new TextOutput(io);
  const results: ScenarioResult[] = [];
  for (const scenario of scenarios) {
    if (io.stopSignal().aborted) break;
    output.begin(scenario.name);
    const { listener } = output;
    const { seed } = options;
    const result = await playScenario(scenario, makeStage, { seed, listener, modelOf });
    results.push(result);
    output.verdict(result);
  }
  output.end(results);
  for (const { format, file } of reports) await writeText(file, rendered(format, results));
  io.exit(results.some(({ verdict }) => verdict === 'FAIL') ? 1 : 0);
}

/** The reader of device files is loaded only where there are some. @throws SimulateError `usage` */
async function modelsFrom({ deviceFile }: SimulateOptions) {
  if (deviceFile === undefined) return { names: [], modelOf: undefined };
  const { modelsByName } = await import('./file-models.ts');
  return modelsByName(deviceFile);
}

async function stageMaker(
  baseUrl: string | undefined,
  options: SimulateOptions,
  io: CliIo,
): Promise<StageMaker> {
  const file = options.cardsFrom === undefined ? undefined : await readCardFile(options.cardsFrom);
  const { baseUrl: address, key: keyInUrl } = splitDeviceUrl(baseUrl ?? file?.baseUrl ?? VIRTUAL);
  if (address === VIRTUAL) return (scenario, seed) => new VirtualStage(scenario, seed);
  const key = keyFor({ given: options.key ?? keyInUrl, inFile: file?.hardwareKey }, io);
  const server = { baseUrl: address, tls: trustFrom(options, io) };
  const endpoint = new Endpoint({ ...server, key });
  const scopedKey = file?.scopedKey;
  const scopedEndpoint = scopedKey ? new Endpoint({ ...server, key: scopedKey }) : undefined;
  const pool = new Map<string, Card[]>();
  for (const [state, cards] of file?.states ?? []) pool.set(state, [...cards]);
  const hooks = hooksFrom(options.hook ?? []);
  const signal = io.stopSignal();
  return (scenario) => new RealStage(scenario, { endpoint, scopedEndpoint, pool, hooks, signal });
}

function hooksFrom(texts: readonly string[]): Map<string, string> {
  return new Map(
    texts.map((text) => {
      const [, name = '', command = ''] = /^([\w-]+)=(.+)$/s.exec(text) ?? [];
      if ((SERVER_ACTIONS as readonly string[]).includes(name)) return [name, command];
      const known = SERVER_ACTIONS.join(', ');
      throw new SimulateError(
        'usage',
        `"${text}" is not a hook: write NAME=COMMAND. Names: ${known}.`,
      );
    }),
  );
}

function rendered(format: ScenarioReportFormat, results: readonly ScenarioResult[]): string {
  if (format === 'junit') return scenarioJunit(results);
  return `${JSON.stringify({ ...totals(results), scenarios: results }, null, 2)}\n`;
}
