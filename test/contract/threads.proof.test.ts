import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
}

test('what holds with a store in the thread of its caller holds with one in a thread of its own', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ticketscan-threads-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const report = join(folder, 'report.json');
  const args = ['run', '--project', 'tests', 'test/contract', 'test/http', 'test/admin'];
  execFileSync(
    resolve('node_modules/.bin/vitest'),
    [...args, '--reporter=json', `--outputFile=${report}`],
    {
      env: { ...process.env, TEST_STORE_THREADS: 'yes', TEST_ENGINES: 'sqlite' },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, 'utf8')) as Report;
  expect(numFailedTests).toBe(0);
  expect(numPassedTests).toBeGreaterThan(600);
});
