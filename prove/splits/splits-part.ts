import { PostgresCluster } from '../../test/support/postgres/cluster.ts';
import { canStepClock } from '../faults/clock.ts';
import type { Part } from '../part.ts';
import { Random } from '../world/random.ts';
import { findMistake } from './find-mistake.ts';
import { SPLIT_MISTAKES } from './mistakes.ts';
import { type SplitOptions, SplitRun } from './run.ts';

const RUNS: readonly (Pick<SplitOptions, 'splits' | 'frees' | 'restores' | 'clocks' | 'centres'> & {
  readonly on: 'sqlite' | 'postgres';
})[] = [
  { on: 'sqlite', splits: 60, clocks: true },
  { on: 'postgres', splits: 60, centres: 2 },
  { on: 'sqlite', splits: 20, frees: true },
  { on: 'postgres', splits: 20, frees: true, restores: true, clocks: true, centres: 2 },
];

/** However the network splits, the gates together admit no more uses than a ticket has, and every use comes home once. */
export const splits: Part = {
  name: 'splits',
  about: 'a centre and two sites on lines that become bad, killed at the steps of the protocol',
  isNightly: true,
  async run({ seed, say }) {
    const random = new Random(seed);
    const told: string[] = [];
    for (const { on, clocks, ...options } of RUNS) {
      const may = { ...options, clocks: clocks === true && canStepClock() };
      const made = await playOn(on, { ...may, random: random.fork(), say });
      told.push(
        `${on}: ${made.splits} splits, ${made.kills} kills, ${made.moves} moves, ${made.clockSteps} clocks set, ${made.replaced} sites replaced, ${made.granted} uses, ${made.rows} rows of sites once each, ${made.printed} printed`,
      );
    }
    for (const mistake of SPLIT_MISTAKES)
      say(`found: ${await findMistake(mistake, random.fork())}`);
    return `${told.join('; ')}; ${SPLIT_MISTAKES.length} of ${SPLIT_MISTAKES.length} mistakes found`;
  },
};

async function playOn(on: 'sqlite' | 'postgres', options: SplitOptions) {
  if (on === 'sqlite') return SplitRun.play(options);
  await using cluster = await PostgresCluster.start();
  // The cluster ends with this function.
  return await SplitRun.play({ ...options, centreStore: cluster.url() });
}
