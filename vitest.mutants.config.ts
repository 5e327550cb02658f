import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';

const SQLITE_IN_PROCESS = resolve('test/support/in-process-sqlite.ts');

/** The tests that `npm run mutants` holds against every mutant: quick ones, in one thread. */
export default defineConfig({
  plugins: [
    {
      name: 'sqlite-in-process',
      enforce: 'pre',
      resolveId: (id) => (id.endsWith('/sqlite/sqlite-store.ts') ? SQLITE_IN_PROCESS : undefined),
    },
  ],
  test: {
    env: { TEST_ENGINES: 'memory,sqlite' },
    include: [
      'test/core/**/*.test.ts',
      'test/devices/**/*.test.ts',
      'test/contract/**/*.test.ts',
      'test/device-files/golden-packets.test.ts',
      'test/http/{device-files,plain-request}.test.ts',
      'test/stores/{give-way,latest-uses,memory-audit,sqlite,sqlite-messages,sqlite-rows,unfolded-uses}.test.ts',
    ],
    // One thread does one thing at a time.
    testNamePattern:
      /^(?!.*a scan (?:does not wait for an audit|that (?:waits for|cannot get) the lock))/,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
