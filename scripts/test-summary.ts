/** Prints which tests of the JSON reports failed and why. The last line counts all tests. */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { JsonTestResults } from 'vitest/node';

const reports = process.argv
  .slice(2)
  .map((file) => JSON.parse(readFileSync(file, 'utf8')) as JsonTestResults);
const sum = (count: (report: JsonTestResults) => number) =>
  reports.reduce((all, report) => all + count(report), 0);

for (const { name, message, assertionResults } of reports.flatMap((report) => report.testResults)) {
  const failed = assertionResults.filter(({ status }) => status === 'failed');
  for (const { fullName, failureMessages } of failed)
    console.log(`FAILED ${relative('.', name)}: ${fullName}\n${failureMessages?.join('\n')}\n`);
  if (message && failed.length === 0) console.log(`FAILED ${relative('.', name)}: ${message}\n`);
}
const skipped = sum((report) => report.numPendingTests + report.numTodoTests);
const passed = sum((report) => report.numPassedTests);
const failed = sum((report) => report.numFailedTests);
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
