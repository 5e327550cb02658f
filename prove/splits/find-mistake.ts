import { plant } from '../planted/plant.ts';
import type { Random } from '../world/random.ts';
import type { SplitMistake } from './mistakes.ts';
import { BrokenPromise, SplitRun } from './run.ts';

/** Splits of one run in which a planted mistake must show, and how many runs it gets. */
const SPLITS = 12;
const RUNS = 4;

/** @throws Error when no run finds the mistake @returns what was found */
export async function findMistake(mistake: SplitMistake, random: Random): Promise<string> {
  const program = plant(mistake);
  const needed = {
    restores: mistake.needs === 'restores',
    losesAnswers: mistake.needs === 'lost answers',
  };
  for (let tries = 0; tries < RUNS; tries += 1) {
    const options = { random: random.fork(), splits: SPLITS, program, ...needed };
    const broken = await SplitRun.play(options).then(
      () => undefined,
      (error: unknown) => {
        if (error instanceof BrokenPromise) return error.message;
        throw error;
      },
    );
    if (broken !== undefined) return `${mistake.name} (${broken.split('\n').slice(0, 2).join('')})`;
  }
  throw new Error(`nobody noticed ${mistake.name}`);
}
