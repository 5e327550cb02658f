import { type JunitCase, junitReport as junitText } from '../../kit/junit.ts';
import type { CaseOutcome, CheckResult } from '../results/result.ts';
import { type CaseRow, contentOf, type FindingRow, oneLine } from './content.ts';

const NOT_JUDGED: readonly CaseOutcome[] = ['skipped', 'follows', 'unanswered'];

/** JUnit XML, one suite a section. Warnings and observations pass, and say so in system-out; what only follows is skipped. */
export function junitReport(result: CheckResult): string {
  const { cases, findings, conclusion, remarks } = contentOf(result);
  const left = result.leftOut.map(({ id, reason }) => `${id}: not asked: ${oneLine(reason)}`);
  const sections = [...Map.groupBy(cases, ({ section }) => section)];
  if (result.preflight) {
    const text = remarks.map((one) => one.text).join('\n');
    const failure = { type: 'preflight', message: conclusion, text };
    const probes = { name: 'probes', className: 'ticketscan.check', durationMs: 0, failure };
    return junitText([suiteOf('probes', 0, result, { cases: [probes], systemOut: text })]);
  }
  return junitText(
    sections.map(([section, all], index) =>
      suiteOf(`section ${section}`, index, result, {
        cases: all.map((one) => testCase(one, findings)),
        systemOut: [...all.map(lineOf), ...(index === 0 ? left : [])].join('\n'),
      }),
    ),
  );
}

function suiteOf(
  name: string,
  index: number,
  { target, requirements, verdict, startedAt }: CheckResult,
  rest: { readonly cases: readonly JunitCase[]; readonly systemOut: string },
) {
  return {
    name,
    attributes: {
      package: 'ticketscan.check',
      id: String(index),
      timestamp: startedAt.slice(0, 19),
      hostname: new URL(target).hostname,
    },
    properties: { target: oneLine(target), requirements, verdict },
    ...rest,
  };
}

function testCase(row: CaseRow, findings: readonly FindingRow[]): JunitCase {
  const { id, section, outcome, remark, durationMs } = row;
  const base = { name: id, className: `ticketscan.check.section-${section}`, durationMs };
  if (NOT_JUDGED.includes(outcome)) return { ...base, skipped: remark };
  const found = findings.find((one) => one.id === id && one.isFailure);
  if (!found) return base;
  const { level, expected, observed, requirement, facts, request, response, reproduce } = found;
  const lines = [requirement, ...facts.map(([label, text]) => `${label}: ${text}`)];
  const text = [...lines, request, response, reproduce].filter(Boolean).join('\n');
  const message = `expected ${expected}; observed ${observed}`;
  return { ...base, failure: { type: level, message, text } };
}

/** Where it was asked, and what it saw. */
function lineOf({ id, outcome, coverage, remark, isFailure }: CaseRow): string {
  return `${id}: ${outcome}: ${coverage}${isFailure || remark === '' ? '' : `; ${remark}`}`;
}
