/**
 * Runs the proofs, test/**\/*.proof.test.ts, of which something that they are about has changed since they passed: the gate of a commit.
 * What passes is noted in test/passed-proofs.txt. `dist` must be built. Exits with 1 when one of them fails.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHECKOUT_ENVIRONMENT } from '../checkout-environment.ts';
import { readOptions } from '../read-options.ts';
import { changedProofs, notePassed, PASSED_FILE, passedProofs, readPassed } from './passed.ts';
import { PROOFS, ProofSources } from './sources.ts';

const USAGE = `Usage: npm run proofs -- [--whole|--all] [--list] [--report FILE]

Runs the proofs that are about what has changed since they passed.
  --whole        runs every one that anything that has changed can affect, as a release does
  --all          runs them all
  --list         names those that would run, and runs none
  --report FILE  writes a report, as JSON`;

const { values: options } = readOptions(USAGE, {
  options: {
    whole: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    report: { type: 'string' },
  },
});

const sources = new ProofSources();
// Before they run: what is edited meanwhile was not tested.
const sums = new Map(PROOFS.map((file) => [file, sources.sumsOf(file)]));
const wanted = options.all
  ? PROOFS
  : changedProofs(sums, readPassed(), options.whole ? 'whole' : 'near');
if (options.list) console.log(wanted.join('\n'));
else process.exitCode = runAll(wanted, options.report);

function runAll(files: readonly string[], report: string | undefined): number {
  console.log(`Proofs: ${files.length} of ${PROOFS.length} run. ${leftOut(files)}`);
  if (files.length === 0) return 0;
  const folder = mkdtempSync(join(tmpdir(), 'ticketscan-proofs-'));
  const file = report ?? join(folder, 'report.json');
  try {
    const reporters = [
      '--reporter=default',
      '--reporter=./test/support/times-reporter.ts',
      '--reporter=json',
      `--outputFile.json=${file}`,
    ];
    const projects = ['--project', 'proofs', '--project', 'timed'];
    const { status } = spawnSync(
      process.execPath,
      ['node_modules/vitest/vitest.mjs', 'run', ...projects, ...reporters, ...files],
      { env: CHECKOUT_ENVIRONMENT, stdio: ['ignore', 'inherit', 'inherit'] },
    );
    // A run with other seeds may have tried less of what a commit tries.
    if (existsSync(file) && process.env['TICKETSCAN_SEED'] === undefined)
      notePassed(passedProofs(JSON.parse(readFileSync(file, 'utf8'))), sums);
    return status ?? 1;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Says how many proofs are not run, and which of those a change can affect all the same. */
function leftOut(files: readonly string[]): string {
  const affected = changedProofs(sums, readPassed(), 'whole').filter(
    (file) => !files.includes(file),
  );
  const others = PROOFS.length - files.length - affected.length;
  const far =
    affected.length === 0
      ? ''
      : ` ${affected.length} are about something else and are left to a release (npm run proofs -- --whole).`;
  return `${others} are as they were when they passed (${PASSED_FILE}; all: npm run proofs -- --all).${far}`;
}
