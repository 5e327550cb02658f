import { type Searched, searchAll } from '../search.ts';
import type { Told } from './decision-promises.ts';
import { brokenPromise } from './promises.ts';
import type { Rules } from './rules.ts';
import type { Answer, Store, StoredAnswer } from './store.ts';
import {
  type Bound,
  type Budget,
  nextStates,
  type Request,
  type System,
  startOf,
} from './system.ts';

/** Requests in another order are the same state. @param statesMax where to give up */
export function search(bound: Bound, rules: Rules, statesMax: number): Searched<System> {
  return searchAll(
    {
      start: startOf(bound),
      next: (state) => nextStates(state, bound, rules),
      nameOf,
      broken: (state) => brokenPromise(state, bound),
    },
    statesMax,
  );
}

/** A short name for each text; most states share their store and requests with the one before, as objects. */
function named<Key extends object>(textOf: (key: Key) => string): (key: Key) => number {
  const ofObject = new Map<Key, number>();
  const ofText = new Map<string, number>();
  return (key) => {
    const before = ofObject.get(key);
    if (before !== undefined) return before;
    const text = textOf(key);
    const name = ofText.get(text) ?? ofText.size;
    ofText.set(text, name);
    ofObject.set(key, name);
    return name;
  };
}

function nameOf({ store, standby, now, requests, open, memories, told, left, broken }: System) {
  const names = requests.map(nameOfRequest).sort((a, b) => a - b);
  const opened = open ? `${nameOfStore(open.store)} ${nameOfTold(open.told)}` : '';
  const stores = `${nameOfStore(store)},${opened},${standby ? nameOfStore(standby) : ''}`;
  const rest = [...names, now, ...memories, nameOfTold(told), nameOfBudget(left)];
  return `${stores},${rest.join()}${broken ?? ''}`;
}

const nameOfBudget = named((left: Budget) => Object.values(left).join());
const nameOfTold = named(({ key, cancelled, gone, named: kept }: Told) =>
  [...Object.values(key), cancelled, gone, textOfAnswers(kept)].join(),
);
const nameOfStore = named(
  ({ answers, ...rest }: Store) => `${JSON.stringify(rest)}${textOfAnswers(answers)}`,
);

const nameOfRequest = named(({ phase, scan, node, read, answer, told }: Request) => {
  if (phase === 'over' || phase === 'unsent') return phase;
  if (phase !== 'told') return [phase, scan, node, read, textOfAnswer(answer)].join();
  // What was told and took no use was right or wrong when it was decided: nothing depends on it any more.
  const isSettled = told?.entry === -1 && told.status === answer?.status;
  return isSettled ? 'over' : [phase, textOfAnswer(answer), textOfAnswer(told)].join();
});

function textOfAnswer(answer: Answer | undefined): string {
  return answer ? `${answer.status} ${answer.used} ${answer.entry}` : '';
}

function textOfAnswers(answers: readonly StoredAnswer[]): string {
  return answers
    .map(({ name, at, answer }) => [name, at, textOfAnswer(answer)].join())
    .sort()
    .join(';');
}
