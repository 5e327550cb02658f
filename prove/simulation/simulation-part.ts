import fc from 'fast-check';
import { type Part, RepeatableError } from '../part.ts';
import { Random } from '../world/random.ts';
import { type Counts, NO_COUNTS, play } from './play.ts';
import { PLANS } from './smaller.ts';
import { tell } from './story.ts';

const PLANS_A_ROUND = 50;

/** The real service on time, network and store of its own: years of bad days in minutes. */
export const simulation: Part = {
  name: 'simulation',
  about: 'the real service on virtual time with a faulty network and store, --scans in all',
  async run({ seed, scans, say }) {
    const random = new Random(seed);
    const total = { ...NO_COUNTS };
    // The first round has the seed itself, so that a round that failed can be run alone.
    for (let round = 1, next = seed; total.scans < scans; next = random.between(0, 2 ** 31 - 1)) {
      const counts = await playPlans(next, PLANS_A_ROUND);
      for (const name of Object.keys(total) as (keyof Counts)[]) total[name] += counts[name];
      if (round % 20 === 0) say(`${total.scans} of ${scans} scans`);
      round += 1;
    }
    const { granted, unknown, crashes } = total;
    return `${total.scans} scans, ${granted} uses granted, ${unknown} without an answer, ${crashes} crashes`;
  },
};

/**
 * Plays so many plans; the same seed gives the same ones.
 * @returns what happened in them
 * @throws RepeatableError with the shortest story that was found of a broken promise
 */
export async function playPlans(seed: number, plans: number): Promise<Counts> {
  const total = { ...NO_COUNTS };
  const keepsEveryPromise = fc.asyncProperty(PLANS, async (plan) => {
    const { problems, counts } = await play(plan);
    for (const name of Object.keys(total) as (keyof Counts)[]) total[name] += counts[name];
    return problems.length === 0;
  });
  const found = await fc.check(keepsEveryPromise, { seed, numRuns: plans });
  const [plan] = found.counterexample ?? [];
  if (!plan) return total;
  const played = await play(plan);
  const steps = `${plan.steps.length} steps, ${found.numShrinks} times smaller`;
  throw new RepeatableError(
    `plan ${found.numRuns} of seed ${seed} (${steps})\n${tell(plan, played)}`,
    seed,
  );
}
