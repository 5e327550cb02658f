import type { RunReport } from '../fleet/summary.ts';
import type { ExpectationResult } from './write-report.ts';
export function htmlReport(report: RunReport, expectations: readonly ExpectationResult[]): string {
  return JSON.stringify({ report, expectations });
}
