import { type SpawnSyncOptions, spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import type { Part } from '../part.ts';

const DRAWS = /support\/(?:fast-check|seed)\.ts'/;

/** Property tests have one seed for every run of a commit; here they get the one of this run. */
export const drawn: Part = {
  name: 'drawn',
  about: 'the tests that draw their input by chance, with the seed of this run',
  isNightly: true,
  async run({ seed }) {
    const files = globSync('test/**/*.test.ts').filter(
      (file) => !file.endsWith('.proof.test.ts') && DRAWS.test(readFileSync(file, 'utf8')),
    );
    const options: SpawnSyncOptions = {
      env: { ...process.env, TICKETSCAN_SEED: String(seed) },
      stdio: ['ignore', 'inherit', 'inherit'],
    };
    const { status } = spawnSync('vitest', ['run', '--project', 'tests', ...files], options);
    if (status !== 0) throw new Error('a test that draws by chance failed, see above');
    return `${files.length} files passed`;
  },
};
