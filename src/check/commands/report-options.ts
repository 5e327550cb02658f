import { type Command, InvalidArgumentError, Option } from 'commander';
import { didYouMean } from '../../kit/nearest.ts';
import type { CliIo } from '../../terminal/io.ts';
import { FORCE } from '../../terminal/options.ts';
import { parseReportFile, type ReportFile } from '../../terminal/report-file.ts';
import {
  type CheckResult,
  type FailOn,
  REPORT_FORMATS,
  type ReportFormat,
  renderReport,
} from '../index.ts';
import { FAIL_ON } from '../results/result.ts';
import { checkReportFile, writeReportFile } from './files.ts';

/** Which reports are written, and where. */
export interface ReportFlags {
  readonly format: ReportFormat;
  readonly json?: boolean;
  readonly report: readonly ReportFile<ReportFormat>[];
  readonly force?: boolean;
  readonly baseline?: string;
  readonly failOn?: readonly FailOn[];
}

const FORMAT_OF_ENDING: Readonly<Record<string, ReportFormat>> = {
  '.json': 'json',
  '.xml': 'junit',
  '.html': 'html',
  '.md': 'markdown',
  '.sarif': 'sarif',
  '.txt': 'pretty',
};

/** What is reported, where, and what fails. */
export function addReportOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--format <format>', 'format on stdout').choices(REPORT_FORMATS).default('pretty'),
    )
    .option('--json', 'the same as --format json')
    .option(
      '--report <format=file>',
      'write a report to a file; without a format, by its ending (.json, .xml, .html, .md, .sarif, .txt); may be repeated',
      addReport,
      [],
    )
    .option(...FORCE)
    .option('--baseline <file>', 'known deviations, which do not fail the run; a stale entry does')
    .option(
      '--fail-on <outcomes>',
      `outcomes that also fail the run, separated by commas: ${FAIL_ON.join(', ')}`,
      readFailOn,
    );
}

/** Called before a run, whose uses would else be spent for nothing. @throws TicketscanError `usage` for a file that cannot be written */
export function checkReports({ report, force }: ReportFlags): void {
  for (const { file } of report) checkReportFile(file, { force });
}

/** Writes the files, and the chosen format on stdout. @throws TicketscanError `usage` for a file that cannot be written */
export function writeReports(result: CheckResult, flags: ReportFlags, io: CliIo): void {
  for (const { format, file } of flags.report) {
    writeReportFile(file, renderReport(format, result), flags);
  }
  const color = io.stdoutIsTty && !io.env['NO_COLOR'] && io.env['TERM'] !== 'dumb';
  const style = { color, brief: io.verbosity === 'quiet' };
  io.stdout.write(renderReport(flags.json ? 'json' : flags.format, result, style));
}

function readFailOn(text: string): FailOn[] {
  return text.split(',').map((name) => {
    const known = FAIL_ON.find((one) => one === name.trim());
    if (known !== undefined) return known;
    throw new InvalidArgumentError(
      `"${name}" is not one of ${FAIL_ON.join(', ')}.${didYouMean(name, FAIL_ON)}`,
    );
  });
}

function addReport(
  text: string,
  before: readonly ReportFile<ReportFormat>[],
): ReportFile<ReportFormat>[] {
  const report = parseReportFile(text, FORMAT_OF_ENDING, REPORT_FORMATS);
  if (report === undefined) {
    throw new InvalidArgumentError(
      `It must be FORMAT=FILE, with a format of ${REPORT_FORMATS.join(', ')}, or a file that ends in ${Object.keys(FORMAT_OF_ENDING).join(', ')}.`,
    );
  }
  return [...before, report];
}
