import type { Part } from '../part.ts';
import { SEARCHED } from './bounds.ts';
import { RIGHT } from './protocol.ts';
import { brokenBy, STATES_MAX, search } from './search.ts';
import { TWINS } from './twins.ts';

/** Proves how the home of an event moves: no reachable state breaks a promise, and each faulty centre or site reaches one that does. */
export const sites: Part = {
  name: 'sites',
  about:
    'every state that a centre and its sites can reach while messages are lost, repeated and late, sites are restored and events are freed',
  async run({ say }) {
    let states = 0;
    for (const bound of SEARCHED) {
      const { broken, complete, states: some } = search(bound, RIGHT);
      if (broken)
        throw new Error(
          `${broken.promise}\n  ${broken.path.map((state) => JSON.stringify(state)).join('\n  ')}`,
        );
      if (!complete) throw new Error(`more than ${STATES_MAX} states: the bound was not searched`);
      states += some;
    }
    for (const twin of TWINS) {
      const found = brokenBy(twin);
      if (!found.broken) throw new Error(`nobody noticed ${twin.name}`);
      say(`found after ${found.states} states: ${twin.name} (${found.broken.promise})`);
    }
    return `${states} states, none breaks a promise; ${TWINS.length} of ${TWINS.length} faulty ones found`;
  },
};
