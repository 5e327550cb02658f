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

export interface Searched {
  readonly states: number;
  readonly seconds: number;
  /** True when nothing was left to look at. */
  readonly complete: boolean;
  readonly broken?: { readonly promise: string; readonly path: readonly System[] };
}

/**
 * Looks at every state that the rules can reach within the bound, the nearest first, until one breaks a promise.
 * Requests in another order are the same state.
 */
export function search(bound: Bound, rules: Rules, statesMax: number): Searched {
  const from = performance.now();
  const start = startOf(bound);
  const seen = new Set([nameOf(start)]);
  const queue: (System | undefined)[] = [start];
  const cameFrom: number[] = [-1];
  const result = (complete: boolean) => ({
    states: seen.size,
    seconds: (performance.now() - from) / 1000,
    complete,
  });
  for (let at = 0; at < queue.length; at += 1) {
    const state = queue[at] as System;
    queue[at] = undefined;
    const promise = brokenPromise(state, bound);
    if (promise !== undefined)
      return {
        ...result(false),
        broken: { promise, path: pathTo(at, [...seen], cameFrom, bound, rules) },
      };
    if (seen.size >= statesMax) return result(false);
    for (const next of nextStates(state, bound, rules)) {
      const name = nameOf(next);
      if (seen.has(name)) continue;
      seen.add(name);
      queue.push(next);
      cameFrom.push(at);
    }
  }
  return result(true);
}

/** The states on the way, each found again among those that one step leads to. States are seen in the order of the queue. */
function pathTo(
  at: number,
  names: readonly string[],
  cameFrom: readonly number[],
  bound: Bound,
  rules: Rules,
): System[] {
  const way: (string | undefined)[] = [];
  for (let index = at; index > 0; index = cameFrom[index] ?? 0) way.unshift(names[index]);
  const path = [startOf(bound)];
  for (const name of way) {
    const from = path.at(-1) as System;
    const next = [...nextStates(from, bound, rules)].find((state) => nameOf(state) === name);
    if (next) path.push(next);
  }
  return path;
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
