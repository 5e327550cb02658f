import { checkWritable } from '../../kit/files.ts';
import { parseReportFile, type ReportFile } from '../../terminal/options.ts';
import { SimulateError } from '../errors.ts';
import { unwritable } from '../report/write-report.ts';

/**
 * Reads where reports go, `FORMAT=FILE` or by the ending of the file, before the run, so that no run is wasted.
 * @throws SimulateError `usage` for an unknown format, or a file that cannot be written
 */
export function readReports<Format extends string>(
  texts: readonly string[],
  formatOfEnding: Readonly<Record<string, Format>>,
): ReportFile<Format>[] {
  return texts.map((text) => {
    const report = parseReportFile(text, formatOfEnding);
    if (report === undefined) {
      const [formats, endings] = [Object.values(formatOfEnding), Object.keys(formatOfEnding)];
      throw new SimulateError(
        'usage',
        `--report ${text}: it must be FORMAT=FILE, with a format of ${formats.join(', ')}, or a file that ends in ${endings.join(', ')}.`,
      );
    }
    try {
      checkWritable(report.file);
    } catch (error) {
      throw unwritable(report.file, error);
    }
    return report;
  });
}
