import { spawnSync } from 'node:child_process';
import { type Part, SkippedError } from '../part.ts';

/** Runs `npm run release -- --verify`, which ends with 2 when it could not try anything. */
export const release: Part = {
  name: 'release',
  about: 'what only a release checks, test/**/*.release.test.ts: packages, images, executables',
  isNightly: true,
  async run() {
    const verify = ['scripts/release/main.ts', '--verify'];
    const { status } = spawnSync(process.execPath, verify, {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    if (status === 2)
      throw new SkippedError('a program that a release needs is missing, see above');
    if (status !== 0) throw new Error('what a release checks failed, see above');
    return 'all passed';
  },
};
