import { type JunitCase, junitReport } from '../../kit/junit.ts';
import { sanitizeForTerminal } from '../../kit/text.ts';
import type { CliIo } from '../../terminal/io.ts';
import { trustFrom } from '../../terminal/options.ts';
import { readCardFile } from '../cards/card-file.ts';
import type { Card, DeviceEvent } from '../device-events.ts';
import { SimulateError } from '../errors.ts';
import { Endpoint, splitDeviceUrl } from '../network/endpoint.ts';
import { loadScenario } from '../scenario/load-scenario.ts';
import { playScenario, type ScenarioResult } from '../scenario/play-scenario.ts';
import { RealStage, type StageMaker, VirtualStage } from '../scenario/stages.ts';
import { SERVER_ACTIONS } from '../stand-in.ts';
import type { SimulateOptions } from './options.ts';
import { LinePrinter } from './output.ts';
import { keyFor, refuseForeignAddress, VIRTUAL } from './plan.ts';
import { readReports, writeReports } from './report-files.ts';

const SCENARIO_REPORTS = { '.json': 'json', '.xml': 'junit' } as const;

type Totals = ReturnType<typeof totals>;

const JSON_LINES = {
  begin: (name: string) => [JSON.stringify({ event: 'scenario', name })],
  verdict: ({ report, ...result }: ScenarioResult) => [
    JSON.stringify({ event: 'verdict', ...result, ...(report && { summary: report.summary }) }),
  ],
  end: (all: Totals) => [JSON.stringify(all)],
};

/** A line a scenario, and one for each assertion that did not hold. */
const TEXT_LINES: typeof JSON_LINES = {
  begin: () => [],
  verdict: ({ name, verdict, failures, reason }) =>
    [
      `${verdict}  ${name}${reason === '' ? '' : `: ${reason}`}`,
      ...failures.map(({ step, what }) => `      step ${step}: ${what}`),
    ].map(sanitizeForTerminal),
  end: ({ passed, failed, skipped }) => [`${passed} passed, ${failed} failed, ${skipped} skipped`],
};

/** Plays the scenarios one after the other; exit code 1 when one fails. */
export async function runScenarios(
  baseUrl: string | undefined,
  options: SimulateOptions,
  io: CliIo,
): Promise<void> {
  const reports = readReports(options.report ?? [], SCENARIO_REPORTS, options);
  const scenarios = [];
  const { names, modelOf } = await modelsFrom(options);
  for (const file of options.scenario ?? []) scenarios.push(await loadScenario(file, names));
  const makeStage = await stageMaker(baseUrl, options, io);
  const printer = new LinePrinter(io);
  const lines = options.json ? JSON_LINES : TEXT_LINES;
  const listener = options.json
    ? (event: DeviceEvent) => printer.lines([JSON.stringify(event)])
    : undefined;
  const results: ScenarioResult[] = [];
  for (const scenario of scenarios) {
    if (io.stopSignal().aborted) break;
    printer.lines(lines.begin(scenario.name));
    const { seed } = options;
    const result = await playScenario(scenario, makeStage, { seed, listener, modelOf });
    results.push(result);
    printer.lines(lines.verdict(result));
  }
  const all = totals(results);
  printer.lines(lines.end(all));
  printer.flush();
  const render = (format: 'json' | 'junit') =>
    format === 'junit'
      ? scenarioJunit(results)
      : `${JSON.stringify({ ...all, scenarios: results }, null, 2)}\n`;
  writeReports(reports, render, options);
  io.exit(all.failed > 0 ? 1 : 0);
}

function totals(results: readonly ScenarioResult[]) {
  const count = (verdict: ScenarioResult['verdict']): number =>
    results.filter((result) => result.verdict === verdict).length;
  const event = 'scenarios';
  return { event, passed: count('PASS'), failed: count('FAIL'), skipped: count('SKIP') };
}

/** The verdicts as JUnit XML: one suite, one test case for each scenario. */
export function scenarioJunit(results: readonly ScenarioResult[]): string {
  return junitReport([{ name: 'scenarios', cases: results.map(testCase) }], 'ticketscan simulate');
}

function testCase({ name, verdict, failures, reason, durationMs }: ScenarioResult): JunitCase {
  const lines = failures.map(({ step, what }) => `step ${step}: ${what}`);
  return {
    name,
    className: 'scenarios',
    durationMs,
    skipped: verdict === 'SKIP' ? reason : undefined,
    failure: verdict === 'FAIL' ? { message: lines[0] ?? '', text: lines.join('\n') } : undefined,
  };
}

/** The reader of device files is loaded only where there are some. @throws SimulateError */
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
  refuseForeignAddress(file, baseUrl, options, io);
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
      throw new SimulateError(`"${text}" is not a hook: write NAME=COMMAND. Names: ${known}.`);
    }),
  );
}
