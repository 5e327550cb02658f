import type { CaseResult, CheckResult } from '../results/result.ts';
import { coverageLine, detailLines, escapeXml, oneLine } from './texts.ts';

/** JUnit XML, one suite a section: valid for the Ant schema and for Jenkins. Warnings and observations pass, and say so in system-out. */
export function junitReport(result: CheckResult): string {
  const suites = [...Map.groupBy(result.cases, ({ section }) => section)];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites>',
    ...suites.flatMap(([section, cases], index) => suiteLines(result, section, cases, index)),
    '</testsuites>',
    '',
  ].join('\n');
}

function suiteLines(
  result: CheckResult,
  section: string,
  cases: readonly CaseResult[],
  index: number,
): string[] {
  const failed = cases.filter(isFailure).length;
  const skipped = cases.filter(({ outcome }) => outcome === 'skipped').length;
  const seconds = cases.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1000;
  const attributes = [
    `name="section ${escapeXml(section)}"`,
    'package="ticketscan.check"',
    `id="${index}"`,
    `timestamp="${result.startedAt.slice(0, 19)}"`,
    `hostname="${escapeXml(new URL(result.target).hostname)}"`,
    `tests="${cases.length}" failures="${failed}" errors="0" skipped="${skipped}"`,
    `time="${seconds.toFixed(3)}"`,
  ];
  return [
    `  <testsuite ${attributes.join(' ')}>`,
    '    <properties>',
    `      <property name="target" value="${escapeXml(oneLine(result.target))}"/>`,
    `      <property name="requirements" value="${escapeXml(result.requirements)}"/>`,
    `      <property name="verdict" value="${result.verdict}"/>`,
    '    </properties>',
    ...cases.flatMap(caseLines),
    `    <system-out>${escapeXml(remarks(result, cases).join('\n'))}</system-out>`,
    '    <system-err></system-err>',
    '  </testsuite>',
  ];
}

function caseLines(one: CaseResult): string[] {
  const head = `    <testcase name="${escapeXml(one.id)}" classname="ticketscan.check.section-${escapeXml(one.section)}" time="${(one.durationMs / 1000).toFixed(4)}"`;
  if (one.outcome === 'skipped') return [`${head}>`, '      <skipped/>', '    </testcase>'];
  if (!isFailure(one)) return [`${head}/>`];
  const message = `expected ${one.expected ?? ''}; observed ${one.observed ?? ''}`;
  return [
    `${head}>`,
    `      <failure type="${one.level}" message="${escapeXml(oneLine(message))}">${escapeXml(details(one))}</failure>`,
    '    </testcase>',
  ];
}

function isFailure(one: CaseResult): boolean {
  return one.outcome === 'failed' && !one.known;
}

function details(one: CaseResult): string {
  return [
    one.requirement,
    ...detailLines(one),
    one.evidence ? `${one.evidence.request}\n\n${one.evidence.response}` : '',
    one.reproduce ?? '',
  ].join('\n');
}

/** What each case was asked on and what it saw; in the first suite also the cases that wait for a flag. */
function remarks({ cases: all, leftOut }: CheckResult, cases: readonly CaseResult[]): string[] {
  const left = cases[0] === all[0] ? leftOut : [];
  return [
    ...cases.map((one) => {
      const seen = isFailure(one) || one.outcome === 'passed' ? null : (one.reason ?? one.observed);
      const line = `${one.id}: ${one.outcome}: ${coverageLine(one)}`;
      return seen === null ? line : `${line}; ${oneLine(seen)}`;
    }),
    ...left.map(({ id, reason }) => `${id}: not asked: ${oneLine(reason)}`),
  ];
}
