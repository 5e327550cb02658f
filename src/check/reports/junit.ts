import { type CaseResult, type CheckResult, isOpen } from '../result.ts';
import { detailLines, escapeXml, oneLine } from './texts.ts';

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
    `      <property name="verdict" value="${result.verdict}"/>`,
    '    </properties>',
    ...cases.flatMap(caseLines),
    `    <system-out>${escapeXml(remarks(cases))}</system-out>`,
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

function remarks(cases: readonly CaseResult[]): string {
  return cases
    .filter((one) => (one.outcome !== 'passed' || isOpen(one)) && !isFailure(one))
    .map(
      (one) =>
        `${one.id}: ${one.outcome}: ${oneLine(one.reason ?? one.observed ?? one.notAsked[0]?.reason ?? '')}`,
    )
    .join('\n');
}
