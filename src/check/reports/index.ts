import type { CheckResult } from '../results/result.ts';
import { githubReport, sarifReport } from './github.ts';
import { htmlReport } from './html.ts';
import { junitReport } from './junit.ts';
import { markdownReport } from './markdown.ts';
import { prettyReport, type ReportStyle } from './pretty.ts';

const RENDERERS = {
  pretty: prettyReport,
  json: (result: CheckResult) => `${JSON.stringify(result, null, 2)}\n`,
  junit: junitReport,
  markdown: markdownReport,
  html: htmlReport,
  github: githubReport,
  sarif: sarifReport,
} satisfies Record<string, (result: CheckResult, style: ReportStyle) => string>;

/** Name of a format, such as `junit`. */
export type ReportFormat = keyof typeof RENDERERS;
/** Every format that a report can be written in. */
export const REPORT_FORMATS = Object.keys(RENDERERS) as ReportFormat[];

/** Renders a result; the text ends with a newline and has no key in it. */
export function renderReport(
  format: ReportFormat,
  result: CheckResult,
  style: ReportStyle = {},
): string {
  return RENDERERS[format](result, style);
}
