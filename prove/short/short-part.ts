import { type SpawnSyncOptions, spawnSync } from 'node:child_process';
import type { Part } from '../part.ts';

/** What takes too long for every run of the tests, in sizes that a merge can wait for. */
export const short: Part = {
  name: 'short',
  about: 'the proofs among the tests, test/**/*.proof.test.ts: all that guard every commit',
  async run() {
    const options: SpawnSyncOptions = { stdio: ['ignore', 'inherit', 'inherit'] };
    const { status } = spawnSync(
      'vitest',
      ['run', '--project', 'proofs', '--project', 'timed'],
      options,
    );
    if (status !== 0) throw new Error('a proof among the tests failed, see above');
    return 'all passed';
  },
};
