import { type Searched, searchAll } from '../search.ts';
import { SHOWN_BY } from './bounds.ts';
import { brokenPromise } from './promises.ts';
import type { Protocol } from './protocol.ts';
import { type Bound, nameOf, nextStates, type System, startOf } from './system.ts';
import type { Twin } from './twins.ts';

export const STATES_MAX = 5_000_000;

/** Looks at every state that moves of an event can reach within the bound. */
export function search(bound: Bound, protocol: Protocol): Searched<System> {
  return searchAll(
    {
      start: startOf(bound),
      next: (state) => otherStates(state, bound, protocol),
      nameOf,
      broken: (state) => brokenPromise(state, bound),
    },
    STATES_MAX,
  );
}

/** Most messages that arrive again change nothing. */
function* otherStates(state: System, bound: Bound, protocol: Protocol): Generator<System> {
  for (const one of nextStates(state, bound, protocol)) if (one !== state) yield one;
}

/** What a faulty centre or site breaks within the bound that shows it. */
export function brokenBy({ protocol, shownBy }: Twin): Searched<System> {
  return search(SHOWN_BY[shownBy], protocol);
}
