import { type Part, SkippedError } from '../part.ts';
import { hasStrace } from '../power-cut/traced-shell.ts';
import { createWorld } from '../world/world.ts';
import { PLANTED_BUGS } from './bugs.ts';
import { isCaught, problemsWith } from './catch-bug.ts';

/** Proves the proof: a checker that finds nothing must have been able to find something. */
export const planted: Part = {
  name: 'planted',
  about: 'plants mistakes into the program; the history checker must find each',
  engines: ['sqlite'],
  async run({ seed, engine, say }) {
    if (!hasStrace()) throw new SkippedError('strace is not installed');
    const world = await createWorld(engine, 12);
    for (const bug of PLANTED_BUGS) {
      const problems = await problemsWith(bug, world, seed);
      if (!isCaught(bug, problems)) throw new Error(`nobody noticed that the program ${bug.name}`);
      say(`caught: ${bug.name} (${problems[0]?.text})`);
    }
    return `${PLANTED_BUGS.length} of ${PLANTED_BUGS.length} planted bugs caught`;
  },
};
