import { type JunitCase, junitReport } from '../../kit/junit.ts';
import type { ScenarioResult } from './play-scenario.ts';

/** The verdicts as JUnit XML: one suite, one test case for each scenario. */
export function scenarioJunit(results: readonly ScenarioResult[]): string {
  return junitReport([{ name: 'scenarios', cases: results.map(testCase) }], 'ticketscan simulate');
}

function testCase({ name, verdict, failures, reason, durationMs }: ScenarioResult): JunitCase {
  const lines = failures.map(({ step, what }) => `step ${step}: ${what}`);
  return {
    name,
    className: 'scenarios',
    durationMs,
    skipped: verdict === 'SKIP' ? reason : undefined,
    failure: verdict === 'FAIL' ? { message: lines[0] ?? '', text: lines.join('\n') } : undefined,
  };
}
