import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import type { Part } from '../part.ts';

/** What `.ci/run` tries a third of each day, whole. */
export const proofs: Part = {
  name: 'proofs',
  about: 'every `*.proof.test.ts`, with all faulty servers, all planted bugs and all kills',
  isNightly: true,
  async run() {
    const { status } = spawnSync(
      resolve('node_modules/.bin/vitest'),
      ['run', '--project', 'proofs'],
      { stdio: ['ignore', 2, 2], env: { ...process.env, TICKETSCAN_PROVE: 'all' } },
    );
    if (status !== 0) throw new Error('a proof failed; it is named above');
    return 'all are green';
  },
};
