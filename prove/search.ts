/** A world of states that steps lead from one to another. */
export interface SearchedWorld<State> {
  readonly start: State;
  /** The states that one step leads to. */
  readonly next: (state: State) => Iterable<State>;
  /** Equal for states of which the same can come. */
  readonly nameOf: (state: State) => string;
  /** The promise that a state breaks; undefined for a good one. */
  readonly broken: (state: State) => string | undefined;
}

export interface Searched<State> {
  readonly states: number;
  readonly seconds: number;
  /** True when nothing was left to look at. */
  readonly complete: boolean;
  readonly broken?: { readonly promise: string; readonly path: readonly State[] };
}

/** Looks at every state that steps can reach, the nearest first, until one breaks a promise. @param statesMax where to give up */
export function searchAll<State>(
  { start, next, nameOf, broken }: SearchedWorld<State>,
  statesMax: number,
): Searched<State> {
  const from = performance.now();
  const seen = new Set([nameOf(start)]);
  const queue: (State | undefined)[] = [start];
  const cameFrom: number[] = [-1];
  const result = (complete: boolean) => ({
    states: seen.size,
    seconds: (performance.now() - from) / 1000,
    complete,
  });
  for (let at = 0; at < queue.length; at += 1) {
    const state = queue[at] as State;
    // Only its name is needed any more.
    queue[at] = undefined;
    const promise = broken(state);
    if (promise !== undefined) {
      const path = pathTo(namesOnTheWay(at, [...seen], cameFrom), { start, next, nameOf });
      return { ...result(false), broken: { promise, path } };
    }
    if (seen.size >= statesMax) return result(false);
    for (const one of next(state)) {
      const name = nameOf(one);
      if (seen.has(name)) continue;
      seen.add(name);
      queue.push(one);
      cameFrom.push(at);
    }
  }
  return result(true);
}

/** States are seen in the order of the queue. */
function namesOnTheWay(at: number, names: readonly string[], cameFrom: readonly number[]) {
  const way: (string | undefined)[] = [];
  for (let index = at; index > 0; index = cameFrom[index] ?? 0) way.unshift(names[index]);
  return way;
}

/** The states on the way, each found again among those that one step leads to. */
function pathTo<State>(
  names: readonly (string | undefined)[],
  { start, next, nameOf }: Pick<SearchedWorld<State>, 'start' | 'next' | 'nameOf'>,
): State[] {
  const path = [start];
  for (const name of names) {
    const from = path.at(-1) as State;
    const one = [...next(from)].find((state) => nameOf(state) === name);
    if (one !== undefined) path.push(one);
  }
  return path;
}
