import { extname } from 'node:path';

/** A report to write: its format, and where. */
export interface ReportFile<Format extends string> {
  readonly format: Format;
  readonly file: string;
}

/**
 * Reads `FORMAT=FILE`, or a file whose ending names the format; undefined for anything else.
 * @param formatOfEnding such as `.json` to `json`
 * @param formats the known formats, when some have no ending
 */
export function parseReportFile<Format extends string>(
  text: string,
  formatOfEnding: Readonly<Record<string, Format>>,
  formats: readonly Format[] = Object.values(formatOfEnding),
): ReportFile<Format> | undefined {
  const at = text.indexOf('=');
  const named = formats.find((one) => one === text.slice(0, at));
  const file = named === undefined ? text : text.slice(at + 1);
  const format = named ?? formatOfEnding[extname(text)];
  return format === undefined || file === '' ? undefined : { format, file };
}
