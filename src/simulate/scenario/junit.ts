import { escapeMarkup } from '../report/markup.ts';
import type { ScenarioResult } from './play-scenario.ts';

/** The verdicts as JUnit XML: one suite, one test case for each scenario. */
export function junitReport(results: readonly ScenarioResult[]): string {
  const count = (verdict: ScenarioResult['verdict']): number =>
    results.filter((result) => result.verdict === verdict).length;
  const seconds = results.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1000;
  const totals = `tests="${results.length}" failures="${count('FAIL')}" errors="0" time="${seconds.toFixed(3)}"`;
  const skipped = `skipped="${count('SKIP')}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="ticketscan simulate" ${totals}>`,
    `  <testsuite name="scenarios" ${totals} ${skipped}>`,
    ...results.flatMap(testCase),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function testCase({ name, verdict, failures, reason, durationMs }: ScenarioResult): string[] {
  const time = (durationMs / 1000).toFixed(3);
  const open = `    <testcase name="${escapeMarkup(name)}" classname="scenarios" time="${time}"`;
  if (verdict === 'PASS') return [`${open}/>`];
  if (verdict === 'SKIP') {
    return [`${open}>`, `      <skipped message="${escapeMarkup(reason)}"/>`, '    </testcase>'];
  }
  const lines = failures.map(({ step, what }) => `step ${step}: ${what}`);
  return [
    `${open}>`,
    `      <failure message="${escapeMarkup(lines[0] ?? '')}">${escapeMarkup(lines.join('\n'))}</failure>`,
    '    </testcase>',
  ];
}
