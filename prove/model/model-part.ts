import type { Part } from '../part.ts';
import type { Searched } from '../search.ts';
import { SEARCHED, SHOWN_BY } from './bounds.ts';
import { RIGHT } from './rules.ts';
import { search } from './search.ts';
import type { System } from './system.ts';
import type { Twin } from './twin.ts';
import { TWINS } from './twins.ts';

const STATES_MAX = 5_000_000;

/** Proves the model: no reachable state breaks a promise, and each faulty service reaches one that does. */
export const model: Part = {
  name: 'model',
  about:
    'every state that requests, kills, lost answers, changes and clock steps can reach within a bound',
  async run({ say }) {
    const searched = SEARCHED.map((bound) => search(bound, RIGHT, STATES_MAX));
    for (const { broken, complete } of searched) {
      if (broken)
        throw new Error(
          `${broken.promise}\n  ${broken.path.map((state) => JSON.stringify(state)).join('\n  ')}`,
        );
      if (!complete) throw new Error(`more than ${STATES_MAX} states: the bound was not searched`);
    }
    for (const twin of TWINS) {
      const found = brokenBy(twin);
      if (!found.broken) throw new Error(`nobody noticed that a service ${twin.name}`);
      say(`found after ${found.states} states: ${twin.name} (${found.broken.promise})`);
    }
    const [states, seconds] = [sumOf(searched, 'states'), sumOf(searched, 'seconds')];
    return `${states} states in ${seconds.toFixed(1)} s, none breaks a promise; ${TWINS.length} of ${TWINS.length} faulty services found`;
  },
};

/** What a faulty service breaks within the bound that shows it. */
export function brokenBy({ rules, shownBy }: Twin): Searched<System> {
  return search(SHOWN_BY[shownBy], rules, STATES_MAX);
}

function sumOf(searched: readonly Searched<System>[], what: 'states' | 'seconds'): number {
  return searched.reduce((sum, one) => sum + one[what], 0);
}
