/**
 * Prints which tests of the JSON reports failed and why, and which were skipped; the last line counts all tests. Ends with 1 when one was
 * skipped, and when there is no report.
 */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { JsonTestResult, JsonTestResults } from 'vitest/node';

const reports = process.argv.slice(2);
if (reports.length === 0) throw new Error('Name the reports of the tests.');

const results = reports.flatMap(
  (report) => (JSON.parse(readFileSync(report, 'utf8')) as JsonTestResults).testResults,
);
for (const result of results) tellFailures(result);
const tests = results.flatMap(({ assertionResults }) => assertionResults);
const skipped = results.flatMap(skippedIn);
for (const name of skipped) console.log(`SKIPPED ${name}`);
// A program that is missing here leaves a promise untested.
if (skipped.length > 0) process.exitCode = 1;
const others = skipped.length > 0 ? `, ${skipped.length} skipped` : '';
console.log(`${count('passed')} passed, ${count('failed')} failed${others}`);

function count(wanted: JsonTestResult['assertionResults'][number]['status']): number {
  return tests.filter(({ status }) => status === wanted).length;
}

function skippedIn({ name, assertionResults }: JsonTestResult): string[] {
  return assertionResults
    .filter(({ status }) => status !== 'passed' && status !== 'failed')
    .map(({ fullName }) => `${relative('.', name)}: ${fullName}`);
}

function tellFailures({ name, message, assertionResults }: JsonTestResult): void {
  const failed = assertionResults.filter(({ status }) => status === 'failed');
  const file = relative('.', name);
  for (const { fullName, failureMessages } of failed)
    console.log(`FAILED ${file}: ${fullName}\n${failureMessages?.join('\n')}\n`);
  if (message && failed.length === 0) console.log(`FAILED ${file}: ${message}\n`);
}
