/**
 * Prints which tests of the JSON reports failed and why, and which were skipped; the last line counts all tests. Ends with 1 when one was
 * skipped.
 * A later report replaces what an earlier one says of the same file, and both are told.
 * With `--failed` it prints the names of the files that failed, and nothing else.
 */
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { JsonTestResult, JsonTestResults } from 'vitest/node';

const [first, ...others] = process.argv.slice(2);
const onlyNames = first === '--failed';
const reports = [...(onlyNames || !first ? [] : [first]), ...others].filter((file) =>
  existsSync(file),
);

const files = new Map<string, JsonTestResult>();
for (const report of reports) {
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as JsonTestResults;
  for (const result of testResults) {
    const before = files.get(result.name);
    if (before && !onlyNames) tellFailures(before, 'FAILED BESIDE OTHERS, RUN AGAIN');
    files.set(result.name, result);
  }
}

const results = [...files.values()];
if (onlyNames) {
  for (const { name, status } of results) if (status === 'failed') console.log(relative('.', name));
} else {
  for (const result of results) tellFailures(result, 'FAILED');
  const tests = results.flatMap(({ assertionResults }) => assertionResults);
  const count = (...wanted: readonly string[]) =>
    tests.filter(({ status }) => wanted.includes(status)).length;
  const skipped = results.flatMap(skippedIn);
  for (const name of skipped) console.log(`SKIPPED ${name}`);
  // A program that is missing here leaves a promise untested.
  if (skipped.length > 0) process.exitCode = 1;
  const others = skipped.length > 0 ? `, ${skipped.length} skipped` : '';
  console.log(`${count('passed')} passed, ${count('failed')} failed${others}`);
}

function skippedIn({ name, assertionResults }: JsonTestResult): string[] {
  return assertionResults
    .filter(({ status }) => status !== 'passed' && status !== 'failed')
    .map(({ fullName }) => `${relative('.', name)}: ${fullName}`);
}

function tellFailures({ name, message, assertionResults }: JsonTestResult, title: string): void {
  const failed = assertionResults.filter(({ status }) => status === 'failed');
  const file = relative('.', name);
  for (const { fullName, failureMessages } of failed)
    console.log(`${title} ${file}: ${fullName}\n${failureMessages?.join('\n')}\n`);
  if (message && failed.length === 0) console.log(`${title} ${file}: ${message}\n`);
}
