import type { Part } from '../part.ts';
import { Random } from '../world/random.ts';
import { runEpisode } from './episode.ts';

const SCANS_PER_EPISODE = 20_000;

/** The real service on time, network and store of its own: years of bad days in minutes. */
export const simulation: Part = {
  name: 'simulation',
  about: 'the real service on virtual time with a faulty network and store, --scans in all',
  async run({ seed, scans, say }) {
    const random = new Random(seed);
    const total = { scans: 0, granted: 0, unknown: 0, crashes: 0 };
    for (let episode = 1; total.scans < scans; episode += 1) {
      const {
        seed: seedOfEpisode,
        problems,
        facts,
      } = await runEpisode(random.between(0, 2 ** 31), SCANS_PER_EPISODE);
      const [first] = problems;
      if (first) {
        throw new Error(
          `episode ${episode} with seed ${seedOfEpisode}: ${problems.length} problems\n  ${first.rule}: ${first.text}`,
        );
      }
      for (const name of ['scans', 'granted', 'unknown', 'crashes'] as const)
        total[name] += facts[name];
      if (episode % 10 === 0) say(`${total.scans} of ${scans} scans`);
    }
    return `${total.scans} scans, ${total.granted} uses granted, ${total.unknown} without an answer, ${total.crashes} crashes`;
  },
};
