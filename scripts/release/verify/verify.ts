import { type StdioOptions, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { JsonTestResults } from 'vitest/node';
import { CHECKOUT_ENVIRONMENT } from '../../checkout-environment.ts';
import { changedParts, readVerified, sumOf, VERIFIED_FILE, type Verified } from './content.ts';
import { RELEASE_PARTS, type ReleasePart } from './parts.ts';

export interface VerifyOptions {
  /** Parts; all of them when there are none. */
  readonly names: readonly string[];
  /** Only those of which the content is not as it was when they passed. */
  readonly changed: boolean;
  /** Installs with apt-get what is missing. */
  readonly install: boolean;
  /** Where the report of the tests goes, as JSON. */
  readonly report?: string | undefined;
}

/**
 * Runs what only a release checks, and writes down what passed in `verified.json`. `dist` must be built.
 * @returns the exit code: 0 everything passed, 1 something did not, 2 nothing could be tried
 */
export function verifyRelease({ names, changed, install, report }: VerifyOptions): 0 | 1 | 2 {
  const unknown = names.filter((name) => !RELEASE_PARTS.some((part) => part.name === name));
  if (unknown.length > 0) {
    const known = RELEASE_PARTS.map(({ name, about }) => `  ${name.padEnd(14)} ${about}`);
    console.error(`A release has no part ${unknown.join(', ')}.\nParts:\n${known.join('\n')}`);
    return 2;
  }
  const parts = (changed ? changedParts(readVerified()) : RELEASE_PARTS).filter(
    ({ name }) => names.length === 0 || names.includes(name),
  );
  if (parts.length === 0) {
    console.log('What only a release checks is as it was when it passed: nothing was run.');
    return 0;
  }
  console.log(`Only a release checks: ${parts.map(({ name }) => name).join(', ')}.`);
  // Before the tests run: what is edited meanwhile was not tested.
  const sums = new Map(parts.map((part) => [part, sumOf(part)]));
  if (!hasPrograms(parts, install)) return 2;
  for (const { prepare } of parts) if (prepare !== undefined) run(...prepare);
  const passed = runTests(parts, report);
  keep(Object.fromEntries(passed.map((part) => [part.name, sums.get(part) ?? ''])));
  const failed = parts.filter((part) => !passed.includes(part)).map(({ name }) => name);
  if (failed.length > 0) console.error(`Not verified: ${failed.join(', ')}.`);
  console.log(`Verified: ${passed.length} of ${parts.length} parts, written to ${VERIFIED_FILE}.`);
  return failed.length > 0 ? 1 : 0;
}

function hasPrograms(parts: readonly ReleasePart[], install: boolean): boolean {
  const missing = missingPackages(parts);
  if (missing.length === 0) return true;
  if (install) {
    run('apt-get', 'update', '-qq');
    run('apt-get', 'install', '-y', '-qq', ...missing);
    return true;
  }
  console.error(`Missing here: apt-get install ${missing.join(' ')} (or add --install)`);
  return false;
}

function missingPackages(parts: readonly ReleasePart[]): string[] {
  const needed = parts.flatMap(({ programs = {} }) => Object.entries(programs));
  const missing = needed.filter(([command]) => {
    return spawnSync('sh', ['-c', 'command -v "$0"', command]).status !== 0;
  });
  return [...new Set(missing.map(([, debianPackage]) => debianPackage))];
}

/** @throws Error when the command fails */
function run(command: string, ...parameters: string[]): void {
  const program = command === 'node' ? process.execPath : command;
  const stdio: StdioOptions = ['ignore', 'ignore', 'inherit'];
  const { status } = spawnSync(program, parameters, { env: CHECKOUT_ENVIRONMENT, stdio });
  if (status !== 0) throw new Error(`${command} ${parameters.join(' ')} ended with ${status}`);
}

/** @returns the parts of which every test ran and passed */
function runTests(parts: readonly ReleasePart[], report: string | undefined): ReleasePart[] {
  const folder = mkdtempSync(join(tmpdir(), 'ticketscan-verify-'));
  const file = report ?? join(folder, 'report.json');
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
    const tests = parts.flatMap((part) => part.tests);
    // Most of them keep a core busy.
    const workers = `--maxWorkers=${availableParallelism()}`;
    const options = ['run', '--project', 'release', workers, ...reporters, ...tests];
    spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', ...options], {
      env: CHECKOUT_ENVIRONMENT,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    return existsSync(file) ? passedParts(parts, JSON.parse(readFileSync(file, 'utf8'))) : [];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A test that was skipped verified nothing. */
export function passedParts(
  parts: readonly ReleasePart[],
  { testResults }: Pick<JsonTestResults, 'testResults'>,
): ReleasePart[] {
  const passed = new Set(
    testResults
      .filter(
        ({ status, assertionResults }) =>
          status === 'passed' &&
          assertionResults.length > 0 &&
          assertionResults.every((one) => one.status === 'passed'),
      )
      .map(({ name }) => name),
  );
  return parts.filter(({ tests }) => tests.every((test) => passed.has(resolve(test))));
}

/** Keeps what it says of the other parts. A part that is gone goes. */
function keep(passed: Verified): void {
  const all = { ...readVerified(), ...passed };
  const entries = RELEASE_PARTS.flatMap(({ name }) => {
    const sum = all[name];
    return sum === undefined ? [] : [[name, sum]];
  });
  writeFileSync(VERIFIED_FILE, `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`);
}
