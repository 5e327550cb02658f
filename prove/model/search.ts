import { brokenPromise } from './promises.ts';
import type { Answer, Store } from './store.ts';
import {
  type Bound,
  nextStates,
  type Request,
  type Rules,
  type System,
  startOf,
} from './system.ts';

export interface Searched {
  readonly states: number;
  readonly seconds: number;
  /** True when nothing was left to look at. */
  readonly complete: boolean;
  readonly broken?: { readonly promise: string; readonly path: readonly string[] };
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
      return { ...result(false), broken: { promise, path: pathTo(at, [...seen], cameFrom) } };
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

/** States are seen in the order of the queue. */
function pathTo(at: number, names: readonly string[], cameFrom: readonly number[]): string[] {
  const path: string[] = [];
  for (let index = at; index >= 0; index = cameFrom[index] ?? -1) path.unshift(names[index] ?? '');
  return path;
}

/** Most states share their store and requests with the one before. */
function memoized<Key extends object>(name: (key: Key) => string): (key: Key) => string {
  const known = new WeakMap<Key, string>();
  return (key) => {
    const before = known.get(key);
    if (before !== undefined) return before;
    const made = name(key);
    known.set(key, made);
    return made;
  };
}

function nameOf({
  store,
  standby,
  now,
  requests,
  open,
  memories,
  confirmed,
  left,
  broken,
}: System): string {
  const names = requests.map(nameOfRequest).sort().join('|');
  const stores = `${nameOfStore(store)}|${open ? nameOfStore(open) : ''}|${standby ? nameOfStore(standby) : ''}`;
  const budget = `${left.clock}${left.kill}${left.promotion}${left.change}`;
  const told = `${confirmed.value}${+confirmed.disabled}${+confirmed.cancelled}${+confirmed.gone}`;
  return `${stores}|${now}|${names}|${memories}|${told}|${budget}${broken ?? ''}`;
}

const nameOfStore = memoized(({ used, lastUse, cancelled, gone, key, log, answers }: Store) => {
  const entries = log.map(({ use, at, clock, name, undoes }) =>
    use ? `${at}${clock}${name}` : `u${undoes}`,
  );
  const kept = answers.map(({ name, at, answer }) => `${name}${at}${nameOfAnswer(answer)}`).sort();
  return `${used}${lastUse}${+cancelled}${+gone}${+key.active}${key.value}${key.previousUntil};${entries};${kept}`;
});

const nameOfRequest = memoized(({ phase, scan, node, barred, read, answer, told }: Request) => {
  if (phase === 'over' || phase === 'unsent') return phase;
  if (phase !== 'told') return `${phase}${scan}${node}${barred}${read}${nameOfAnswer(answer)}`;
  // What was told and took no use was right or wrong when it was decided: nothing depends on it any more.
  const isSettled = told?.entry === -1 && told.status === answer?.status;
  return isSettled ? 'over' : `told${barred}${nameOfAnswer(answer)}${nameOfAnswer(told)}`;
});

function nameOfAnswer(answer: Answer | undefined): string {
  return answer ? `${answer.status}${answer.used}${answer.entry}` : '';
}
