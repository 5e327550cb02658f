import type { CaseResult, CheckResult } from '../result.ts';
import { endpointsLine, oneLine, stripControls } from './texts.ts';

/** TAP 14, with a YAML block for each finding. */
export function tapReport(result: CheckResult): string {
  const lines = ['TAP version 14', `1..${result.cases.length}`];
  result.cases.forEach((one, index) => {
    lines.push(...caseLines(one, index + 1));
  });
  if (result.brokenOff) lines.push(`# broken off: ${oneLine(result.brokenOff)}`);
  return `${lines.join('\n')}\n`;
}

function caseLines(one: CaseResult, number: number): string[] {
  const ok = one.outcome === 'failed' ? 'not ok' : 'ok';
  const head = `${ok} ${number} - ${escapeDescription(`${one.id} ${one.requirement}`)}`;
  if (one.outcome === 'skipped')
    return [`${head} # SKIP ${escapeDescription(oneLine(one.reason ?? ''))}`];
  if (one.outcome === 'passed') return [head];
  const directive = one.known ? ' # TODO known deviation' : '';
  const fields: [string, string | null][] = [
    ['outcome', one.outcome],
    ['level', one.level],
    ['endpoints', endpointsLine(one) ?? null],
    ['expected', one.expected],
    ['observed', one.observed],
    ['likelyCause', one.likelyCause],
    ['reproduce', one.reproduce],
  ];
  const yaml = fields
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `  ${name}: ${JSON.stringify(stripControls(value ?? ''))}`);
  return [`${head}${directive}`, '  ---', ...yaml, '  ...'];
}

/** A hash would begin a directive, a backslash an escape. */
function escapeDescription(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('#', '\\#');
}
