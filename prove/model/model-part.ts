import type { Part } from '../part.ts';
import { FOR_TWINS, THREE_REQUESTS, TWO_CHANGES } from './bounds.ts';
import { type Searched, search } from './search.ts';
import { RIGHT } from './system.ts';
import { TWINS, type Twin } from './twins.ts';

const STATES_MAX = 5_000_000;

/** Proves the model: no reachable state breaks a promise, and each faulty service reaches one that does. */
export const model: Part = {
  name: 'model',
  about:
    'every state that requests, kills, lost answers, changes and clock steps can reach within a bound',
  async run({ say }) {
    const searched = [THREE_REQUESTS, TWO_CHANGES].map((bound) => search(bound, RIGHT, STATES_MAX));
    for (const { broken, complete } of searched) {
      if (broken) throw new Error(`${broken.promise}\n  ${broken.path.join('\n  ')}`);
      if (!complete) throw new Error(`more than ${STATES_MAX} states: the bound was not searched`);
    }
    for (const twin of TWINS) {
      const found = brokenBy(twin);
      if (!found?.broken) throw new Error(`nobody noticed that a service ${twin.name}`);
      say(`found after ${found.states} states: ${twin.name} (${found.broken.promise})`);
    }
    const [states, seconds] = [sumOf(searched, 'states'), sumOf(searched, 'seconds')];
    return `${states} states in ${seconds.toFixed(1)} s, none breaks a promise; ${TWINS.length} of ${TWINS.length} faulty services found`;
  },
};

/** What a faulty service breaks within the smallest bound that shows it; undefined when it breaks nothing. */
export function brokenBy({ rules }: Twin): Searched | undefined {
  for (const bound of FOR_TWINS) {
    const found = search(bound, rules, STATES_MAX);
    if (found.broken) return found;
  }
  return undefined;
}

function sumOf(searched: readonly Searched[], what: 'states' | 'seconds'): number {
  return searched.reduce((sum, one) => sum + one[what], 0);
}
