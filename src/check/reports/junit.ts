import { type JunitCase, junitReport as junitText } from '../../kit/junit.ts';
import type { CaseResult, CheckResult } from '../results/result.ts';
import { coverageLine, detailLines, oneLine } from './texts.ts';

/** JUnit XML, one suite a section. Warnings and observations pass, and say so in system-out. */
export function junitReport(result: CheckResult): string {
  const { target, requirements, verdict, startedAt } = result;
  const sections = [...Map.groupBy(result.cases, ({ section }) => section)];
  return junitText(
    sections.map(([section, cases], index) => ({
      name: `section ${section}`,
      attributes: {
        package: 'ticketscan.check',
        id: String(index),
        timestamp: startedAt.slice(0, 19),
        hostname: new URL(target).hostname,
      },
      properties: { target: oneLine(target), requirements, verdict },
      cases: cases.map(testCase),
      systemOut: remarks(result, cases).join('\n'),
    })),
  );
}

function testCase(one: CaseResult): JunitCase {
  const message = `expected ${one.expected ?? ''}; observed ${one.observed ?? ''}`;
  return {
    name: one.id,
    className: `ticketscan.check.section-${one.section}`,
    durationMs: one.durationMs,
    skipped: one.outcome === 'skipped' ? true : undefined,
    failure: isFailure(one)
      ? { type: one.level, message: oneLine(message), text: details(one) }
      : undefined,
  };
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
