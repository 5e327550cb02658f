import { stripControls } from '../../kit/text.ts';
import type { CaseResult, CheckResult } from '../results/result.ts';
import { coverageLine, endpointsLine, oneLine, specificationLine } from './texts.ts';

/** TAP 14, with a YAML block for each finding. */
export function tapReport(result: CheckResult): string {
  const lines = ['TAP version 14', `1..${result.cases.length}`];
  result.cases.forEach((one, index) => {
    lines.push(...caseLines(one, index + 1));
  });
  for (const { id, reason } of result.leftOut) lines.push(`# not asked: ${id}: ${oneLine(reason)}`);
  if (result.brokenOff) lines.push(`# stopped early: ${oneLine(result.brokenOff)}`);
  return `${lines.join('\n')}\n`;
}

function caseLines(one: CaseResult, number: number): string[] {
  const ok = one.outcome === 'failed' ? 'not ok' : 'ok';
  const head = `${ok} ${number} - ${escapeDescription(`${one.id} ${one.requirement}`)}`;
  const fields: [string, string | null][] = [
    ['outcome', one.outcome],
    ['level', one.level],
    ['specification', one.outcome === 'passed' ? null : specificationLine(one)],
    ['asked', coverageLine(one)],
    ['endpoints', endpointsLine(one) ?? null],
    ['expected', one.expected],
    ['observed', one.observed],
    ['cause', one.cause],
    ['reproduce', one.reproduce],
  ];
  const yaml = fields
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `  ${name}: ${JSON.stringify(stripControls(value ?? ''))}`);
  return [`${head}${directiveOf(one)}`, '  ---', ...yaml, '  ...'];
}

function directiveOf({ outcome, reason, known }: CaseResult): string {
  if (outcome === 'skipped') return ` # SKIP ${escapeDescription(oneLine(reason ?? ''))}`;
  return known ? ' # TODO known deviation' : '';
}

/** A hash would begin a directive, a backslash an escape. */
function escapeDescription(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('#', '\\#');
}
