import { writeFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { SimulateError } from '../errors.ts';
import type { RunReport } from '../fleet/summary.ts';
import type { ExpectationResult } from './expect.ts';
import { textReport } from './text.ts';

const FORMATS = ['.json', '.html', '.txt'];

/** @throws SimulateError `usage` when the ending of `path` names no format */
export function checkReportPath(path: string, formats: readonly string[] = FORMATS): void {
  if (formats.includes(extname(path))) return;
  throw new SimulateError(
    'usage',
    `${path}: the name of a report must end in ${formats.join(', ')}.`,
  );
}

/**
 * Writes the report of a run in the format that the ending of `path` names.
 * @throws SimulateError `usage` when the file cannot be written
 */
export async function writeReport(
  path: string,
  report: RunReport,
  expectations: readonly ExpectationResult[],
): Promise<void> {
  await writeText(path, await rendered(extname(path), report, expectations));
}

/** @throws SimulateError `usage` when the file cannot be written */
export async function writeText(path: string, text: string): Promise<void> {
  await writeFile(path, text).catch((error: NodeJS.ErrnoException) => {
    throw new SimulateError('usage', `${path} cannot be written (${error.code}).`);
  });
}

async function rendered(
  ending: string,
  report: RunReport,
  expectations: readonly ExpectationResult[],
): Promise<string> {
  if (ending === '.json') return `${JSON.stringify({ ...report, expectations }, null, 2)}\n`;
  if (ending === '.html') {
    const { htmlReport } = await import('./html.ts');
    return htmlReport(report, expectations);
  }
  return `${[...textReport(report.summary), ...expectationLines(expectations)].join('\n')}\n`;
}

/** One line for each threshold. */
export function expectationLines(expectations: readonly ExpectationResult[]): string[] {
  return expectations.map(({ text, met, seen }) =>
    met ? `  expected ${text}: yes` : `  expected ${text}: NO, ${seen}`,
  );
}
