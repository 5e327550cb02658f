import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const SQLITE_IN_PROCESS = resolve('test/support/in-process-sqlite.ts');

/** The first test that fails ends the work on a mutant, and most fail within milliseconds in the tests of one file. */
class QuickestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isSlow = ({ moduleId }: TestSpecification) =>
      /[/]test[/](?:contract|http|stores)[/]/.test(moduleId);
    return files.toSorted((one, other) => Number(isSlow(one)) - Number(isSlow(other)));
  }
}

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
    sequence: { sequencer: QuickestFirst },
    env: { TEST_ENGINES: 'sqlite' },
    include: [
      'test/core/**/*.test.ts',
      'test/devices/**/*.test.ts',
      'test/kit/!(background).test.ts',
      'test/mint/rows/**/*.test.ts',
      'test/contract/**/!(*.proof).test.ts',
      'test/device-files/golden-packets.test.ts',
      'test/http/{device-files.proof,request-head}.test.ts',
      'test/stores/{pending-uses,sqlite.proof,sqlite-messages,sqlite-rows,use-index,writer-backoff}.test.ts',
    ],
    // One thread does one thing at a time.
    testNamePattern:
      /^(?!.*a scan (?:does not wait for an audit|that (?:waits for|cannot get) the lock))/,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
