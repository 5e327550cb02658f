import { writeFile } from 'node:fs/promises';
import { fileFailure } from '../../kit/failures.ts';
import { SimulateError } from '../errors.ts';
import type { RunReport } from '../fleet/summary.ts';
import type { ExpectationResult } from './expect.ts';
import { textReport } from './text.ts';

/** The reports of a run, by the ending of a file. */
export const RUN_REPORTS = { '.json': 'json', '.txt': 'pretty' } as const;

type RunReportFormat = (typeof RUN_REPORTS)[keyof typeof RUN_REPORTS];

/**
 * Writes the report of a run.
 * @throws SimulateError `usage` when the file cannot be written
 */
export async function writeReport(
  { format, file }: { readonly format: RunReportFormat; readonly file: string },
  report: RunReport,
  expectations: readonly ExpectationResult[],
): Promise<void> {
  await writeText(file, rendered(format, report, expectations));
}

/** @throws SimulateError `usage` when the file cannot be written */
export async function writeText(path: string, text: string): Promise<void> {
  await writeFile(path, text).catch((error: unknown) => {
    throw unwritable(path, error);
  });
}

/** Why a report cannot be written. @param path as it was given */
export function unwritable(path: string, error: unknown): SimulateError {
  return new SimulateError('usage', `${path} cannot be written: ${fileFailure(error)}.`);
}

function rendered(
  format: RunReportFormat,
  report: RunReport,
  expectations: readonly ExpectationResult[],
): string {
  if (format === 'json') return `${JSON.stringify({ ...report, expectations }, null, 2)}\n`;
  return `${[...textReport(report.summary), ...expectationLines(expectations)].join('\n')}\n`;
}

/** One line for each threshold. */
export function expectationLines(expectations: readonly ExpectationResult[]): string[] {
  return expectations.map(({ text, met, seen }) =>
    met ? `  expected ${text}: yes` : `  expected ${text}: NO, ${seen}`,
  );
}
