import { counted, sanitizeForTerminal } from '../../kit/text.ts';
import { type CliIo, type ExitCode, note } from '../../terminal/io.ts';
import type { DeviceEvent } from '../device-events.ts';
import type { SimulatedFleet } from '../fleet/fleet.ts';
import type { Summary } from '../fleet/summary.ts';
import { type ExpectationResult, judgeExpectations } from '../report/expect.ts';
import { textReport } from '../report/text.ts';
import { expectationLines, RUN_REPORTS, writeReport } from '../report/write-report.ts';
import { EventPrinter, isWanted } from './event-output.ts';
import { LiveSession } from './live-session.ts';
import type { SimulateOptions } from './options.ts';
import { plainLine } from './plain-output.ts';
import { planRun, type RunPlan } from './plan.ts';
import { readReports } from './report-files.ts';
import { allGranted, type RunEnd, runDevices } from './run-devices.ts';
import { hasTerminal } from './terminal.ts';

const PROGRESS_EVERY_MS = 5000;

/** Plays devices as the options say, reports, and sets the exit code. */
export async function simulateRun(
  baseUrl: string | undefined,
  options: SimulateOptions,
  io: CliIo,
): Promise<void> {
  const plan = await planRun(baseUrl, options, io);
  const reports = readReports(plan.reports, RUN_REPORTS);
  io.outlives = 'reader';
  const end = await followed(plan, options, io);
  const results = judgeExpectations(plan.expectations, end.report);
  for (const report of reports) await writeReport(report, end.report, results);
  conclude(plan, end, results, io);
}

function followed(plan: RunPlan, options: SimulateOptions, io: CliIo): Promise<RunEnd> {
  if (options.json) return asJson(plan, io);
  const live = hasTerminal(io) && options.live !== false && !plan.virtual && !plan.trace;
  return live ? liveView(plan, io) : inWords(plan, io);
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
  const session = new LiveSession(io, title, plan.fleet.cards ?? [], quit);
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
  for (const line of textReport(end.report.summary)) io.out(sanitizeForTerminal(line));
  return { ...end, interrupted: end.interrupted || interrupted };
}

async function asJson(plan: RunPlan, io: CliIo): Promise<RunEnd> {
  const printer = new EventPrinter(io, plan.events);
  printer.start(plan);
  tellHidden(plan, io);
  const end = await runDevices(plan, io, {
    event: (event) => printer.print(event),
    begin: (fleet) => tellProgress(plan, fleet, io),
  });
  printer.line(end.report.summary);
  printer.flush();
  return end;
}

/** A large fleet is silent otherwise. The timer does not keep the program running. */
function tellProgress(plan: RunPlan, fleet: SimulatedFleet, io: CliIo): void {
  if (plan.events !== 'none') return;
  setInterval(() => {
    const { scans } = fleet.statistics;
    note(io, `${(fleet.time.nowMs() / 1000).toFixed(0)} s: ${counted(scans, 'scan')}`);
  }, PROGRESS_EVERY_MS).unref();
}

function tellHidden({ events, eventsChosen }: RunPlan, io: CliIo): void {
  if (events === 'none' && !eventsChosen)
    note(io, 'Events of large fleets are not printed; --events all prints them.');
}

async function inWords(plan: RunPlan, io: CliIo): Promise<RunEnd> {
  note(io, `seed ${plan.seed}`);
  tellHidden(plan, io);
  const print = (event: DeviceEvent): void => {
    const line = isWanted(event, plan.events) ? plainLine(event) : undefined;
    if (line !== undefined) io.out(sanitizeForTerminal(line));
  };
  const begin = (fleet: SimulatedFleet): void => tellProgress(plan, fleet, io);
  const end = await runDevices(plan, io, { event: print, begin });
  for (const line of textReport(end.report.summary)) io.out(sanitizeForTerminal(line));
  return end;
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
  plan: RunPlan,
  summary: Summary,
  results: readonly ExpectationResult[],
  interrupted: boolean,
): ExitCode {
  const judgedByDoors = plan.desk && results.length === 0 && !interrupted;
  if (judgedByDoors && !allGranted(summary)) return 1;
  if (results.some((result) => !result.met)) return 1;
  return interrupted && !hasNoEnd(plan) ? 130 : 0;
}

/** A single device, and devices that only send heartbeats, are ended with Ctrl-C: such a run is complete. */
function hasNoEnd({ desk, fleet }: RunPlan): boolean {
  return desk || fleet.staysOpen === true;
}
