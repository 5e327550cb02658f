import { counted, sanitizeForTerminal } from '../../kit/text.ts';
import { type CliIo, type ExitCode, note } from '../../terminal/io.ts';
import type { SimulatedFleet } from '../fleet/fleet.ts';
import {
  type ExpectationResult,
  expectationLines,
  judgeExpectations,
  textReport,
} from '../fleet/report.ts';
import type { RunReport, Summary } from '../fleet/statistics.ts';
import { hasTerminal, LiveSession } from './live-session.ts';
import type { SimulateOptions } from './options.ts';
import { isWanted, LinePrinter, plainLine } from './output.ts';
import { planRun, type RunPlan } from './plan.ts';
import { readReports, writeReports } from './report-files.ts';
import { type RunEnd, runDevices } from './run-devices.ts';

const RUN_REPORTS = { '.json': 'json', '.txt': 'pretty' } as const;
const PROGRESS_EVERY_MS = 5000;

/** What `--report FILE.json` writes. */
interface JsonReport extends RunReport {
  readonly expectations: readonly ExpectationResult[];
}

/** Plays devices as the options say, reports, and sets the exit code. */
export async function simulateRun(
  baseUrl: string | undefined,
  options: SimulateOptions,
  io: CliIo,
): Promise<void> {
  const plan = await planRun(baseUrl, options, io);
  const reports = readReports(options.report ?? [], RUN_REPORTS, options);
  io.outlives = 'reader';
  const isWatched = hasTerminal(io) && options.live !== false && !plan.virtual && !plan.trace;
  const live = isWatched && options.json !== true;
  const end = live ? await liveView(plan, io) : await inLines(plan, options, io);
  const results = judgeExpectations(plan.expectations, end.report);
  const jsonReport: JsonReport = { ...end.report, expectations: results };
  const render = (format: 'json' | 'pretty') =>
    format === 'json'
      ? `${JSON.stringify(jsonReport, null, 2)}\n`
      : `${[...textReport(end.report.summary), ...expectationLines(results)].join('\n')}\n`;
  writeReports(reports, render, options);
  conclude(plan, end, results, io);
}

/** One device stays on the screen until the user quits; a fleet until it is done. */
async function liveView(plan: RunPlan, io: CliIo): Promise<RunEnd> {
  const fleet = plan.desk ? { ...plan.fleet, staysOpen: true } : plan.fleet;
  const title = `ticketscan simulate ${plan.baseUrl}   seed ${plan.seed}`;
  let interrupted = false;
  let stopRun = (): void => undefined;
  const quit = (): void => {
    interrupted = true;
    stopRun();
  };
  const session = new LiveSession(io, title, plan.fleet.cards, quit);
  let end: RunEnd;
  try {
    end = await runDevices({ ...plan, fleet }, io, {
      event: (event) => session.observe(event),
      begin: (devices, stop) => {
        session.control(devices);
        stopRun = stop;
      },
    });
  } finally {
    session.close();
  }
  tellSummary(end.report.summary, io);
  return { ...end, interrupted: end.interrupted || interrupted };
}

/** Events as lines, of JSON or for people, and the summary as the last. */
async function inLines(plan: RunPlan, options: SimulateOptions, io: CliIo): Promise<RunEnd> {
  const printer = new LinePrinter(io);
  const { seed, baseUrl, virtual, fleet, events } = plan;
  const { devices = 1 } = fleet;
  if (options.json)
    printer.lines([JSON.stringify({ event: 'start', t: 0, seed, devices, baseUrl, virtual })]);
  else note(io, `seed ${seed}`);
  tellWhatToExpect(plan, options, io);
  const end = await runDevices(plan, io, {
    event: (event) => {
      if (!isWanted(event, events)) return;
      const line = options.json ? JSON.stringify(event) : plainLine(event);
      if (line !== undefined) printer.lines([line]);
    },
    begin: (running) => tellProgress(plan, running, io),
  });
  if (options.json) printer.lines([JSON.stringify(end.report.summary)]);
  printer.flush();
  if (!options.json) tellSummary(end.report.summary, io);
  return end;
}

function tellWhatToExpect({ fleet, virtual }: RunPlan, options: SimulateOptions, io: CliIo): void {
  const { durationMs } = fleet;
  const end = durationMs === undefined ? 'until Ctrl-C' : `for ${durationMs / 1000} s`;
  if (fleet.cards.length === 0 && !virtual) note(io, `No cards: heartbeats only, ${end}.`);
  else if (options.events === undefined && (fleet.devices ?? 1) > 1)
    note(io, 'Only the summary of a fleet is printed; --events all prints each event.');
}

/** A run without events is silent otherwise. The timer does not keep the program running. */
function tellProgress(plan: RunPlan, fleet: SimulatedFleet, io: CliIo): void {
  if (plan.events !== 'none') return;
  setInterval(() => {
    const { scans } = fleet.statistics;
    note(io, `${(fleet.time.nowMs() / 1000).toFixed(0)} s: ${counted(scans, 'scan')}`);
  }, PROGRESS_EVERY_MS).unref();
}

function tellSummary(summary: Summary, io: CliIo): void {
  for (const line of textReport(summary)) io.out(sanitizeForTerminal(line));
}

function conclude(
  plan: RunPlan,
  { report, contact, interrupted }: RunEnd,
  results: readonly ExpectationResult[],
  io: CliIo,
): void {
  if (contact.kind !== 'good') {
    io.err(`ticketscan: ${contact.message}${contact.message.endsWith('?') ? '' : '.'}`);
    io.exit(contact.kind === 'unreachable' ? 3 : 1);
    return;
  }
  for (const line of expectationLines(results)) io.err(line);
  io.exit(exitCodeOf(plan, report.summary, results, interrupted));
}

function exitCodeOf(
  { desk, fleet }: RunPlan,
  { scans, granted }: Summary,
  results: readonly ExpectationResult[],
  interrupted: boolean,
): ExitCode {
  const judgedByDoors = desk && results.length === 0 && !interrupted;
  if (judgedByDoors && scans !== granted) return 1;
  if (results.some((result) => !result.met)) return 1;
  // A single device, and devices that only send heartbeats, are ended with Ctrl-C: such a run is complete.
  const hasNoEnd = desk || fleet.staysOpen === true;
  return interrupted && !hasNoEnd ? 130 : 0;
}
