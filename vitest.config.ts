import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { bundledWorkers } from './test/support/bundled-workers.ts';
import { LongestFirst } from './test/support/longest-first.ts';

// The same for every contributor, and for the programs that run already: one of another zone would have to start anew.
process.env['TZ'] = 'UTC';
// Each store of SQLite loads its thread anew, and every process of a test its packages.
process.env['NODE_COMPILE_CACHE'] ??= resolve('node_modules/.cache/compiled');

const PROOFS = 'test/**/*.proof.test.ts';
/** Proofs that measure a rate or a wait: nothing runs beside them. */
const TIMED = 'test/**/*.timed.proof.test.ts';
/** What only a release checks: `npm run release -- --verify`. */
const RELEASE = 'test/**/*.release.test.ts';
/** Proofs start programs, browsers and servers, and take minutes beside other work. Their stores have threads, as those of the program. */
const LONG = {
  testTimeout: 600_000,
  hookTimeout: 600_000,
  env: { TEST_STORE_THREADS: 'yes' },
};

export default defineConfig({
  plugins: [bundledWorkers()],
  test: {
    setupFiles: ['test/support/file-times.ts'],
    globalSetup: ['test/support/on-demand/global-setup.ts'],
    reporters: ['default', './test/support/times-reporter.ts'],
    // What hangs is ended. This is no bound: beside other work a test may take ten times as long as alone.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
    // Half of the time a test waits: for a process, a browser, a clock.
    maxWorkers: availableParallelism() * 2,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'tests',
          include: ['test/**/*.test.ts'],
          exclude: [PROOFS, RELEASE],
          // Each worker loads the sources once, and not once for each file. A file leaves globals as it found them.
          isolate: false,
        },
      },
      { extends: true, test: { ...LONG, name: 'proofs', include: [PROOFS], exclude: [TIMED] } },
      {
        extends: true,
        test: {
          ...LONG,
          name: 'timed',
          include: [TIMED],
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
      { extends: true, test: { ...LONG, name: 'release', include: [RELEASE] } },
    ],
  },
});
