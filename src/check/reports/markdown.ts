import { stripControls } from '../../kit/text.ts';
import type { CaseResult, CheckResult } from '../results/result.ts';
import {
  coverage,
  detailLines,
  findingsOf,
  oneLine,
  skipReasons,
  subjectOf,
  totalsLine,
  verdictLine,
} from './texts.ts';

const ICONS = { conforms: '✅', deviates: '❌', incomplete: '⚠️' } as const;

/** Markdown for a step summary or a merge request. */
export function markdownReport(result: CheckResult): string {
  const lines = [
    `## ${ICONS[result.verdict]} ticketscan check: ${result.verdict}`,
    '',
    `${verdictLine(result)} ${totalsLine(result)}. Target: ${code(result.target)}`,
    ...result.notes.map((note) => `\n> ${text(note)}`),
    ...(result.brokenOff ? [`\n> **Stopped early:** ${text(result.brokenOff)}`] : []),
    ...result.stale.map(
      (id) => `\n> ${code(id)} is in the baseline, but the ${subjectOf(result)} now meets it.`,
    ),
  ];
  const findings = findingsOf(result);
  if (findings.length > 0) {
    lines.push('', '| case | requirement | expected | observed |', '| --- | --- | --- | --- |');
    lines.push(...findings.map(rowOf), '', ...findings.flatMap(detailsOf));
  }
  for (const { reason, ids, optional } of skipReasons(result)) {
    const may = optional ? ', which a check may leave out' : '';
    lines.push('', `**${ids.length} skipped${may}**: ${text(reason)}`);
  }
  const seen = result.cases.filter(({ outcome }) => outcome === 'observed');
  if (seen.length > 0) {
    lines.push('', '<details><summary>Observed, not defined by the specification</summary>', '');
    lines.push('| case | seen |', '| --- | --- |');
    lines.push(
      ...seen.map((one) => `| ${code(one.id)} | ${code(one.observed ?? '')} |`),
      '',
      '</details>',
    );
  }
  lines.push(...coverageTable(result));
  return `${lines.join('\n')}\n`;
}

function coverageTable(result: CheckResult): string[] {
  return [
    '',
    '<details><summary>Where each requirement was asked</summary>',
    '',
    '| endpoints | cases |',
    '| --- | --- |',
    ...coverage(result).map(
      ({ text: where, ids }) => `| ${text(where)} | ${text(ids.join(', '))} |`,
    ),
    '',
    '</details>',
  ];
}

function rowOf(one: CaseResult): string {
  const mark = one.outcome === 'failed' ? (one.known ? '➖' : '❌') : '⚠️';
  return `| ${mark} ${code(one.id)} | ${text(one.requirement)} | ${code(one.expected ?? '')} | ${code(one.observed ?? '')} |`;
}

function detailsOf(one: CaseResult): string[] {
  const block = [
    one.evidence?.request ?? '',
    '',
    one.evidence?.response ?? '',
    '',
    one.reproduce ?? '',
  ].join('\n');
  return [
    `<details><summary><code>${html(one.id)}</code>: how to reproduce it</summary>`,
    '',
    ...detailLines(one).map((line) => `- ${text(line)}`),
    '',
    `<pre>${html(stripControls(block).trim())}</pre>`,
    '',
    '</details>',
    '',
  ];
}

/** In a table cell; what an answer says must not become markup. */
function text(value: string): string {
  return oneLine(value).replace(/[\\|*_[\]<>~#]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

function code(value: string): string {
  const line = oneLine(value);
  return line === '' ? '' : `<code>${html(line)}</code>`;
}

function html(value: string): string {
  return value.replace(/[&<>|\\`*_[\]~#]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
