import { fileFailure } from '../../kit/failures.ts';
import { checkResultFile, type ResultOptions, writeResult } from '../../kit/result-files.ts';
import { parseReportFile, type ReportFile } from '../../terminal/report-file.ts';
import { SimulateError } from '../errors.ts';

/**
 * Reads where reports go, `FORMAT=FILE` or by the ending of the file, before the run, so that no run is wasted.
 * @throws SimulateError for an unknown format, or a file that cannot be written
 */
export function readReports<Format extends string>(
  texts: readonly string[],
  formatOfEnding: Readonly<Record<string, Format>>,
  options: ResultOptions,
): ReportFile<Format>[] {
  return texts.map((text) => {
    const report = parseReportFile(text, formatOfEnding);
    if (report === undefined) {
      const [formats, endings] = [Object.values(formatOfEnding), Object.keys(formatOfEnding)];
      throw new SimulateError(
        `--report ${text}: it must be FORMAT=FILE, with a format of ${formats.join(', ')}, or a file that ends in ${endings.join(', ')}.`,
      );
    }
    try {
      checkResultFile(report.file, options);
    } catch (error) {
      throw unwritable(report.file, error);
    }
    return report;
  });
}

/** Writes each report as `render` makes it. @throws SimulateError when a file cannot be written */
export function writeReports<Format extends string>(
  reports: readonly ReportFile<Format>[],
  render: (format: Format) => string,
  options: ResultOptions,
): void {
  for (const { format, file } of reports) {
    try {
      writeResult(file, render(format), options);
    } catch (error) {
      throw unwritable(file, error);
    }
  }
}

function unwritable(path: string, error: unknown): SimulateError {
  return new SimulateError(`${path} cannot be written: ${fileFailure(error)}.`);
}
